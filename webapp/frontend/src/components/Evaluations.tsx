/** How a policy version was judged in simulators: what was tried, how far it is, and the newest report or the one asked for. */
import { Alert, Button, Group, Modal, MultiSelect, NumberInput, Paper, Select, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { api, Problem } from "../api/client";
import type { Evaluation, EvaluationRow, Listed, NewEvaluation, PolicyRow, RunRow, Simulated } from "../api/types";
import { useIsAtLeast, useVerb } from "../api/verbs";
import { useWords } from "../words";
import { useAsk } from "./ask";
import { Mono, StateBadge } from "./badges";
import { Judged } from "./Judged";
import { Listing, useFilters } from "./listing";
import { Empty, Loaded, To } from "./page";
import { Progressing } from "./Progressing";
import { Ago } from "./time";

const REFRESH_MS = 3000;
const isOver = ({ state }: EvaluationRow): boolean => !["queued", "running"].includes(state);

export function Evaluations({ policy }: { policy: PolicyRow }) {
  const { t } = useWords();
  const isAdmin = useIsAtLeast("admin");
  const query = useQuery({
    queryKey: ["evaluations", policy.number],
    queryFn: () => api.get<Listed<EvaluationRow>>("/evaluations", { policy: policy.number, limit: 20 }),
    refetchInterval: (current) => (current.state.data?.items.every(isOver) === false ? REFRESH_MS : false),
  });
  return (
    <Paper component="section" aria-label={t("judging.title")}>
      <Group justify="space-between" mb="xs">
        <Title order={2}>{t("judging.title")}</Title>
        {isAdmin && <Start policy={policy} />}
      </Group>
      <Loaded query={query}>{({ items }) => <Tried items={items} />}</Loaded>
    </Paper>
  );
}

function Tried({ items }: { items: EvaluationRow[] }) {
  const { t, word } = useWords();
  const asked = useFilters(["evaluation"]).values.evaluation;
  const shown = asked ? Number(asked) : items.find(({ state }) => state === "completed")?.id;
  const on = useTitles();
  return (
    <Stack gap="md">
      <Listing
        label={t("judging.title")}
        rows={items}
        keyOf={(row) => row.id}
        to={(row) => `?evaluation=${row.id}`}
        empty={<Empty title={t("judging.none")}>{t("judging.noneBody")}</Empty>}
        columns={[
          { name: t("word.id"), cell: (row) => <To to={`?evaluation=${row.id}`}>{t("judging.heading", { id: row.id })}</To> },
          { name: t("word.state"), cell: (row) => <StateBadge state={row.state} /> },
          { name: t("training.progress"), width: 150, cell: (row) => (row.state === "queued" ? <Waiting row={row} all={items} /> : <Progressing job={row} />) },
          { name: t("judging.on"), cell: (row) => (row.environment ? on(row.environment) : t("judging.learnt")) },
          { name: t("judging.splits"), wide: true, cell: (row) => row.splits.map((split) => word("split", split)).join(", ") },
          { name: t("judging.against"), cell: (row) => (row.against === null ? "—" : <To to={`/policies/${row.against}`}><Mono>v{row.against}</Mono></To>) },
          { name: t("judging.minutes"), cell: (row) => t("judging.minutesOf", { n: row.minutes }) },
          { name: t("word.when"), cell: (row) => <Ago at={row.created_at} /> },
          { name: "", cell: (row) => <Cancel row={row} /> },
        ]}
      />
      {shown !== undefined && <Shown key={shown} id={shown} />}
    </Stack>
  );
}

/** Trainings and evaluations share a queue: what this one stands behind. */
function Waiting({ row, all }: { row: EvaluationRow; all: EvaluationRow[] }) {
  const { t } = useWords();
  const query = useQuery({
    queryKey: ["training", "ahead"],
    queryFn: () => api.get<Listed<RunRow>>("/training", { limit: 20 }),
    refetchInterval: REFRESH_MS,
  });
  const run = query.data?.items.findLast(({ state, created_at }) => state === "running" || (state === "queued" && created_at < row.created_at));
  const other = all.find(({ state }) => state === "running");
  const what = run ? t("training.heading", { id: run.id }) : other && t("judging.heading", { id: other.id });
  return (
    <Text fz="xs" c="dimmed">
      {what ? t("judging.waitsFor", { what }) : t("judging.waits")}
    </Text>
  );
}

function Shown({ id }: { id: number }) {
  const query = useQuery({ queryKey: ["evaluations", "one", id], queryFn: () => api.get<Evaluation>(`/evaluations/${id}`) });
  const { word } = useWords();
  return (
    <Loaded query={query}>
      {(evaluation) => (
        <>
          {evaluation.error && (
            <Alert color="red" title={word("state", evaluation.state)}>
              {evaluation.error}
            </Alert>
          )}
          {evaluation.judgement && <Judged evaluation={evaluation} judgement={evaluation.judgement} />}
        </>
      )}
    </Loaded>
  );
}

/** Titles of what can be tried, by id. */
function useTitles(): (id: string) => string {
  const { data } = useSimulated();
  return (id) => data?.find((each) => each.id === id)?.title ?? id;
}

function useSimulated() {
  return useQuery({ queryKey: ["simulated"], queryFn: () => api.get<Simulated[]>("/evaluations/environments"), staleTime: Infinity });
}

function Cancel({ row }: { row: EvaluationRow }) {
  const { t } = useWords();
  const ask = useAsk();
  const isAdmin = useIsAtLeast("admin");
  const cancel = useVerb(() => api.post(`/evaluations/${row.id}/cancel`), { touches: ["evaluations"] });
  if (!isAdmin || isOver(row)) return null;
  async function confirm(): Promise<void> {
    const title = t("judging.cancelTitle", { id: row.id });
    if (await ask({ title, body: t("judging.cancelBody"), verb: t("judging.cancelVerb"), danger: true })) cancel.mutate(undefined);
  }
  return (
    <Button size="compact-xs" variant="light" color="red" loading={cancel.isPending} onClick={() => void confirm()}>
      {t("judging.cancel")}
    </Button>
  );
}

function Start({ policy }: { policy: PolicyRow }) {
  const { t } = useWords();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        {t("judging.start")}
      </Button>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title={t("judging.startTitle", { name: policy.name })} closeButtonProps={{ "aria-label": t("do.close") }}>
        <TrialForm policy={policy} done={() => setOpen(false)} />
      </Modal>
    </>
  );
}

const SPLITS = ["test", "validation"] as const;

function TrialForm({ policy, done }: { policy: PolicyRow; done: () => void }) {
  const { t } = useWords();
  const simulated = useSimulated();
  const versions = useQuery({ queryKey: ["policies", "all"], queryFn: () => api.get<Listed<PolicyRow>>("/policies", { limit: 200 }) });
  const others = (versions.data?.items ?? []).filter(({ number }) => number !== policy.number);
  const [against, setAgainst] = useState<string | null>(null);
  const [environment, setEnvironment] = useState("");
  const [splits, setSplits] = useState<string[]>(["test"]);
  const [variants, setVariants] = useState("0");
  const [minutes, setMinutes] = useState<string | number>(2);
  const start = useVerb(
    () => {
      const wanted: NewEvaluation = {
        policy: policy.number,
        against: against === null ? null : Number(against),
        environment,
        splits: SPLITS.filter((each) => splits.includes(each)),
        variants: Number(variants),
        minutes: Number(minutes),
        seed: 6_000_000,
      };
      return api.post<EvaluationRow>("/evaluations", wanted);
    },
    { touches: ["evaluations"], done, refused: (problem) => problem instanceof Problem && problem.body.errors !== undefined },
  );
  const wrong = start.error instanceof Problem ? (start.error.body.errors ?? {}) : {};
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        start.mutate(undefined);
      }}
    >
      <Stack gap="sm">
        <Select
          data-autofocus
          label={t("judging.against")}
          placeholder={t("judging.nobody")}
          data={others.map(({ number, name, aliases }) => ({ value: String(number), label: [name, ...aliases].join(" · ") }))}
          value={against}
          onChange={setAgainst}
          clearable
          error={wrong.against}
        />
        <Select
          label={t("judging.on")}
          data={[{ value: "", label: t("judging.learnt") }, ...(simulated.data ?? []).map(({ id, title }) => ({ value: id, label: title }))]}
          value={environment}
          onChange={(value) => setEnvironment(value ?? "")}
          allowDeselect={false}
          error={wrong.environment}
        />
        <MultiSelect
          label={t("judging.splits")}
          data={SPLITS.map((value) => ({ value, label: t(`split.${value}`) }))}
          value={splits}
          onChange={setSplits}
          error={wrong.splits}
        />
        <Select
          label={t("judging.variants")}
          data={[{ value: "0", label: t("judging.plain") }, ...["1", "2"].map((value) => ({ value, label: t("judging.changed", { n: value }) }))]}
          value={variants}
          onChange={(value) => setVariants(value ?? "0")}
          allowDeselect={false}
        />
        <NumberInput label={t("judging.minutes")} min={0.1} max={1440} step={1} decimalScale={1} value={minutes} onChange={setMinutes} error={wrong.minutes} required />
        <Group justify="flex-end" gap="sm">
          {wrong.policy && <Text fz="sm" c="red">{wrong.policy}</Text>}
          <Button type="submit" loading={start.isPending} disabled={splits.length === 0}>
            {t("judging.go")}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
