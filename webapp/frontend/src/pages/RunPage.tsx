/** `/training/:id`: one run, its curves as they grow, and its receipt. */
import { LineChart } from "@mantine/charts";
import { Alert, Button, Code, Group, Paper, Progress, ScrollArea, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Fragment } from "react";
import { useParams } from "react-router";

import { api } from "../api/client";
import type { Metric, Run } from "../api/types";
import { useIsAtLeast, useVerb } from "../api/verbs";
import { useAsk } from "../components/ask";
import { Mono, StateBadge } from "../components/badges";
import { BY_TASK, chartsOf, type Chart } from "../components/measures";
import { Empty, Facts, Loaded, Page, To } from "../components/page";
import { Progressing } from "../components/Progressing";
import { clockText, Since } from "../components/time";
import { useWords } from "../words";
import { Algorithm } from "./TrainingPage";

const COLORS = ["blue.6", "orange.6", "teal.6", "grape.6", "red.6", "gray.6"];
const REFRESH_MS = 3000;
const GPU = "gpu_used";

export default function RunPage() {
  const id = Number(useParams().id);
  const query = useQuery({
    queryKey: ["run", id],
    queryFn: () => api.get<Run>(`/training/${id}`),
    refetchInterval: (current) => (isOver(current.state.data) ? false : REFRESH_MS),
  });
  return <Loaded query={query}>{(run) => <RunOf run={run} />}</Loaded>;
}

const isOver = (run: Run | undefined): boolean => run !== undefined && !["queued", "running"].includes(run.state);

function RunOf({ run }: { run: Run }) {
  const { t, word } = useWords();
  return (
    <Page title={t("training.heading", { id: run.id })} beside={<StateBadge state={run.state} />} actions={<Cancel run={run} />}>
      <Stack gap="sm">
        {run.error && (
          <Alert color="red" title={word("state", run.state)}>
            {run.error}
          </Alert>
        )}
        <Paper>
          <Stack gap="sm">
            {run.state !== "completed" && <Progressing job={run} />}
            <Facts
              facts={[
                [t("training.dataset"), <To key="dataset" to={`/datasets/${run.dataset}`}>{t("datasets.heading", { n: run.dataset })}</To>],
                [
                  t("training.parent"),
                  run.parent_number === null ? "—" : <To key="parent" to={`/policies/${run.parent_number}`}><Mono>{run.parent}</Mono></To>,
                ],
                [
                  t("training.result"),
                  run.policy_number === null ? "—" : <To key="policy" to={`/policies/${run.policy_number}`}><Mono>{run.policy}</Mono></To>,
                ],
                [t("training.kind"), <Algorithm key="kind" run={run} />],
                [t("word.reason"), word("trigger", run.trigger)],
                [t("training.seed"), <Mono key="seed">{run.seed}</Mono>],
                [t("training.commit"), run.commit ? <Mono key="commit">{run.commit.slice(0, 10)}</Mono> : "—"],
                [t("training.took"), run.started_at === null ? "—" : <Took key="took" began={run.started_at} ended={run.ended_at} />],
              ]}
            />
          </Stack>
        </Paper>
        <Curves metrics={run.metrics} />
        {Object.keys(run.spec).length > 0 && (
          <Paper>
            <Title order={2} mb="xs">
              {t("training.spec")}
            </Title>
            <Code block>{JSON.stringify(run.spec, null, 2)}</Code>
          </Paper>
        )}
      </Stack>
    </Page>
  );
}

/** How long it took, or has taken so far. */
function Took({ began, ended }: { began: string; ended: string | null }) {
  if (ended === null) return <Since at={began} />;
  return <Mono>{clockText(new Date(ended).getTime() - new Date(began).getTime())}</Mono>;
}

function Curves({ metrics }: { metrics: Metric[] }) {
  const { t, word } = useWords();
  const isUsed = metrics.some(({ values }) => (values[GPU] ?? 0) > 0); // without a graphics card it is a line at 0
  const all = [...new Set(metrics.flatMap(({ values }) => Object.keys(values)))].filter((name) => name !== GPU || isUsed).sort();
  if (all.length === 0) return <Empty title={t("training.noMetrics")} />;
  const charts = chartsOf(all);
  const isOnePart = new Set(charts.map(({ part }) => part)).size === 1;
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="sm">
      {charts.map((chart) => (
        <Charted key={chart.part + chart.kind} chart={chart} metrics={metrics} title={isOnePart ? t(chart.kind) : `${t(chart.kind)} · ${word("phase", chart.part)}`} />
      ))}
      <ByTask metrics={metrics} names={all.filter((name) => name.startsWith(BY_TASK))} />
    </SimpleGrid>
  );
}

/** The last success of each task, the worst first. */
function ByTask({ metrics, names }: { metrics: Metric[]; names: string[] }) {
  const { t } = useWords();
  if (names.length === 0) return null;
  const rows = names.map((name) => ({
    task: name.slice(BY_TASK.length),
    share: metrics.findLast(({ values }) => name in values)?.values[name] ?? 0,
  }));
  rows.sort((a, b) => a.share - b.share || a.task.localeCompare(b.task));
  return (
    <Paper component="figure" m={0} aria-label={t("training.byTask")}>
      <Title order={2} mb="xs">
        {t("training.byTask")}
      </Title>
      <ScrollArea.Autosize mah={280}>
        <div className="by-task">
          {rows.map(({ task, share }) => (
            <Fragment key={task}>
              <Text fz="xs" ff="monospace" truncate title={task}>
                {task}
              </Text>
              <Progress value={share * 100} size={6} aria-label={task} />
              <Text fz="xs" ff="monospace" ta="right">
                {(share * 100).toFixed(0)} %
              </Text>
            </Fragment>
          ))}
        </div>
      </ScrollArea.Autosize>
    </Paper>
  );
}

/** Three digits, however small. */
function figure(value: number): string {
  return value !== 0 && Math.abs(value) < 0.001 ? value.toExponential(1) : String(Number(value.toPrecision(3)));
}

interface ChartedProps {
  chart: Chart;
  metrics: Metric[];
  title: string;
}

/** Measures of one kind and part: on one axis where they are on one scale, else each on its own. */
function Charted({ chart: { part, kind, names, isApart }, metrics, title }: ChartedProps) {
  const { t, word } = useWords();
  const isShare = kind === "training.accuracy";
  const last = names.map((name) => {
    const value = metrics.findLast(({ values }) => name in values)?.values[name];
    return { name, said: `${word("measure", name)} ${value === undefined ? "—" : isShare ? `${(value * 100).toFixed(1)} %` : figure(value)}` };
  });
  const about = (name: string): string => [name, word("measured", name)].filter((each, at) => at === 0 || each !== name).join(": ");
  const step = t(part === "play" ? "training.update" : "training.step");
  return (
    <Paper component="figure" m={0} aria-label={`${title}: ${last.map(({ said }) => said).join(", ")}`}>
      <Title order={2}>{title}</Title>
      {!isApart && (
        <Group gap="sm" mb="xs">
          {last.map(({ name, said }) => (
            <Text key={name} fz="xs" c="dimmed" title={about(name)}>
              {said}
            </Text>
          ))}
        </Group>
      )}
      {isApart ? (
        <SimpleGrid cols={2} spacing="xs" mt="xs">
          {last.map(({ name, said }) => (
            <div key={name}>
              <Text fz="xs" c="dimmed" title={about(name)} truncate mb={4}>
                {said}
              </Text>
              <Curve names={[name]} metrics={metrics} isShare={false} height={110} />
            </div>
          ))}
        </SimpleGrid>
      ) : (
        <Curve names={names} metrics={metrics} isShare={isShare} step={step} />
      )}
    </Paper>
  );
}

interface CurveProps {
  names: string[];
  metrics: Metric[];
  isShare: boolean;
  height?: number;
  step?: string;
}

function Curve({ names, metrics, isShare, height = 250, step }: CurveProps) {
  const { word } = useWords();
  const data = metrics
    .filter(({ values }) => names.some((name) => name in values))
    .map(({ step, values }) => ({ step, ...values }));
  return (
    <LineChart
      h={height}
      data={data}
      dataKey="step"
      series={names.map((name, at) => ({ name, label: word("measure", name), color: COLORS[at % COLORS.length] ?? "blue.6" }))}
      withDots={data.length < 60}
      connectNulls
      curveType="linear"
      strokeWidth={1.8}
      xAxisLabel={step}
      xAxisProps={{ type: "number", domain: [0, "dataMax"], allowDecimals: false }}
      yAxisProps={{ domain: isShare ? [0, 1] : [0, "auto"], width: 58 }}
      valueFormatter={(value) => (isShare ? `${(value * 100).toFixed(0)} %` : figure(value))}
      lineChartProps={{ accessibilityLayer: true }}
      withLegend={names.length > 1}
    />
  );
}

function Cancel({ run }: { run: Run }) {
  const { t } = useWords();
  const ask = useAsk();
  const isAdmin = useIsAtLeast("admin");
  const cancel = useVerb(() => api.post(`/training/${run.id}/cancel`), { touches: ["run", "training"] });
  if (!isAdmin || isOver(run)) return null;
  async function confirm(): Promise<void> {
    const answer = await ask({
      title: t("training.cancelTitle", { id: run.id }),
      body: t("training.cancelBody"),
      verb: t("training.cancel"),
      danger: true,
    });
    if (answer) cancel.mutate(undefined);
  }
  return (
    <Button variant="light" color="red" loading={cancel.isPending} onClick={() => void confirm()}>
      {t("training.cancel")}
    </Button>
  );
}
