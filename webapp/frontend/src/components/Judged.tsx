/** One evaluation's report: success, conduct, causes of failure, consistency, another version beside it, ground covered. */
import { Anchor, Badge, Group, ScrollArea, SimpleGrid, Stack, Table, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";

import type { Against, Consistency, Evaluation, Judgement, SplitRates } from "../api/types";
import { useWords, type WordKey } from "../words";
import { Mono } from "./badges";
import { percent, type ShareRow } from "./evaluation";
import { Heat } from "./Heat";
import { Facts, To } from "./page";
import { Shares } from "./Shares";

const BAR = 0.82; // what a policy must reach between two looks of a console
const SIGNIFICANT = 0.05;
const TALL = 460;
const REPLAYS = 3; // shown at once
const FORMS = ["json", "md", "html"] as const;

type Share = Consistency["overall"];
const said = ({ count, of, rate, interval: [low, high] }: Share): string => (of === 0 ? "—" : `${count}/${of} = ${percent(rate)} [${percent(low)}, ${percent(high)}]`);
const pText = (p: number): string => (p < 0.001 ? "< 0.001" : p.toFixed(3));

export function Judged({ evaluation, judgement }: { evaluation: Evaluation; judgement: Judgement }) {
  const { t, word } = useWords();
  return (
    <Stack gap="lg" component="article" aria-label={t("judging.heading", { id: evaluation.id })}>
      <Group justify="space-between">
        <Title order={3} fz="md">{t("judging.heading", { id: evaluation.id })}</Title>
        <Group gap="xs" component="nav" aria-label={t("judging.report")}>
          {FORMS.map((form) => (
            <Anchor key={form} fz="sm" href={`/api/evaluations/${evaluation.id}/report.${form}`} target="_blank" aria-label={t("judging.download", { kind: form })}>
              {form.toUpperCase()}
            </Anchor>
          ))}
        </Group>
      </Group>
      {judgement.evaluations.map((each) => (
        <Success key={each.split} title={t("judging.success", { split: word("split", each.split) })} rates={each} />
      ))}
      {judgement.against && <Beside policy={`v${evaluation.policy}`} against={judgement.against} tried={tried(judgement.evaluations)} />}
      <Conduct judgement={judgement} />
      <Causes evaluation={evaluation} judgement={judgement} />
      <Failures evaluation={evaluation} judgement={judgement} />
      {judgement.variants && <Alike title={t("judging.twoLooks")} found={judgement.variants} bar={BAR} />}
      <Heat ground={judgement.ground} />
    </Stack>
  );
}

/** All of them first: it must not need scrolling to. */
function rowsOf({ templates, overall }: SplitRates, all: string): ShareRow[] {
  const tried = Object.entries(templates).filter(([, { episodes }]) => episodes > 0);
  return [[all, overall] as const, ...tried].map(([name, { rate, interval: [low, high], verified, episodes }]) => ({ name, rate, low, high, verified, n: episodes }));
}

function Success({ title, rates }: { title: string; rates: SplitRates }) {
  const { t } = useWords();
  return (
    <Part title={title}>
      <ScrollArea.Autosize mah={TALL}>
        <Shares label={title} rows={rowsOf(rates, t("policy.all"))} />
      </ScrollArea.Autosize>
      <Text fz="xs" c="dimmed">
        {t("policy.interval")}
      </Text>
    </Part>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <Title order={4} fz="sm" mb={6}>
        {title}
      </Title>
      {children}
    </section>
  );
}

function Conduct({ judgement: { conduct, evaluations, ground } }: { judgement: Judgement }) {
  const { t, word } = useWords();
  const lost = evaluations.reduce((sum, each) => sum + each.lost, 0);
  const ms = Math.max(...evaluations.map((each) => each.proposing_ms));
  const leaves = (level: string): string => (level === "nothing" ? word("risk", level) : t("judging.upTo", { risk: word("risk", level) }));
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
      <Part title={t("judging.conduct")}>
        <Facts
          facts={[
            [t("judging.overOptimal"), conduct.over_optimal === null ? "—" : t("judging.times", { n: conduct.over_optimal.toFixed(2) })],
            [t("judging.invalid"), said(conduct.invalid_actions)],
            [t("judging.idle"), said(conduct.idle_actions)],
            [t("judging.refused"), said(conduct.gave_up)],
            [t("judging.lost"), String(lost)],
            [t("judging.ms"), t("judging.msOf", { n: ms.toFixed(1) })],
            ...Object.entries(ground.share).map(([name, share]): [string, string] => [t("judging.covered", { name }), percent(share)]),
          ]}
        />
      </Part>
      <Part title={t("judging.approvals")}>
        <Figures
          label={t("judging.approvals")}
          head={[t("judging.goesByItself"), t("judging.questions")]}
          rows={Object.entries(conduct.approvals).map(([level, asked]) => [leaves(level), asked.toFixed(2)])}
        />
      </Part>
    </SimpleGrid>
  );
}

function Causes({ evaluation, judgement: { causes } }: { evaluation: Evaluation; judgement: Judgement }) {
  const { t, word } = useWords();
  if (causes.length === 0) return null;
  return (
    <Part title={t("judging.causes")}>
      <Figures
        label={t("judging.causes")}
        head={[t("word.environment"), t("judging.cause"), t("judging.share"), t("judging.sure"), t("judging.marks"), t("judging.replays")]}
        rows={causes.map((each) => [
          each.environment,
          word("cause", each.cause),
          percent(each.share),
          each.confidence.toFixed(2),
          each.marks.join(", "),
          <Replays key="replays" evaluation={evaluation} names={each.trajectories} />,
        ])}
      />
    </Part>
  );
}

/** The first few; the others folded away. */
function Replays({ evaluation, names }: { evaluation: Evaluation; names: string[] }) {
  const { t } = useWords();
  const links = names.map((name, at) => (
    <Replay key={name} evaluation={evaluation} name={name}>
      {t("judging.nth", { n: at + 1 })}
    </Replay>
  ));
  return (
    <>
      <Group gap={8}>{links.slice(0, REPLAYS)}</Group>
      {links.length > REPLAYS && (
        <details>
          <summary>{t("judging.moreReplays", { n: links.length - REPLAYS })}</summary>
          <Group gap={8}>{links.slice(REPLAYS)}</Group>
        </details>
      )}
    </>
  );
}

function Failures({ evaluation, judgement: { failures } }: { evaluation: Evaluation; judgement: Judgement }) {
  const { t, word } = useWords();
  return (
    <Part title={t("judging.failures")}>
      {failures.length === 0 ? (
        <Text fz="sm">{t("judging.allVerified")}</Text>
      ) : (
        <Figures
          label={t("judging.failures")}
          head={[t("word.template"), t("judging.split"), t("training.seed"), t("judging.variant"), t("word.outcome"), t("judging.why"), t("word.steps"), ""]}
          rows={failures.map((each) => [
            <Mono key="template">{each.template}</Mono>,
            word("split", each.split),
            each.seed,
            each.variant || t("judging.plain"),
            word("outcome", each.outcome),
            each.detail || "—",
            each.steps,
            each.replay && (
              <Replay key="replay" evaluation={evaluation} name={each.replay}>
                {t("judging.watch")}
              </Replay>
            ),
          ])}
        />
      )}
    </Part>
  );
}

function Replay({ evaluation, name, children }: { evaluation: Evaluation; name: string; children: ReactNode }) {
  const { t } = useWords();
  return (
    <Anchor fz="inherit" target="_blank" href={`/api/evaluations/${evaluation.id}/replays/${name}.html`} aria-label={t("judging.replay", { name })}>
      {children}
    </Anchor>
  );
}

function Alike({ title, found, bar }: { title: string; found: Consistency; bar?: number }) {
  const { t } = useWords();
  const words: WordKey = found.overall.rate >= (bar ?? 0) ? "judging.reaches" : "judging.misses";
  return (
    <Part title={title}>
      <Group gap="sm" mb={4}>
        <Text fz="sm">
          {t("judging.alike")} <Mono>{said(found.overall)}</Mono>
        </Text>
        {bar !== undefined && found.overall.of > 0 && (
          <Badge color={words === "judging.reaches" ? "green" : "orange"}>{t(words, { bar: percent(bar) })}</Badge>
        )}
      </Group>
      <ByTemplate>
        <Figures label={title} head={[t("word.template"), t("judging.alike")]} rows={Object.entries(found.templates).map(([name, each]) => [<Mono key="name">{name}</Mono>, said(each)])} />
      </ByTemplate>
    </Part>
  );
}

const tried = (found: SplitRates[]): number => found.reduce((sum, each) => sum + each.overall.episodes, 0);

function Beside({ policy, against, tried: own }: { policy: string; against: Against; tried: number }) {
  const { t, word } = useWords();
  const { pairing } = against;
  const others = tried(against.evaluations);
  const p = pText(pairing.p_value);
  const better = pairing.only_one > pairing.only_other ? policy : against.policy;
  const head = [t("word.template"), t("judging.tasks"), t("judging.both"), t("judging.only", { name: policy }), t("judging.only", { name: against.policy }), t("judging.neither"), t("judging.p")];
  const figures = (each: typeof pairing) => [each.tasks, each.both, each.only_one, each.only_other, each.neither, pText(each.p_value)];
  const title = t("judging.beside", { name: against.policy });
  return (
    <Part title={title}>
      <Stack gap="xs">
        <Text fz="sm">{pairing.p_value < SIGNIFICANT ? t("judging.better", { name: better, p }) : t("judging.draw", { p })}</Text>
        <Figures label={title} head={head.with(0, "")} rows={[[t("policy.all"), ...figures(pairing)]]} />
        {own !== others && (
          <Text fz="xs" c="dimmed">
            {t("judging.inCommon", { name: policy, own, other: against.policy, others })}
          </Text>
        )}
        {against.evaluations.map((each) => (
          <Text key={each.split} fz="sm">
            <To to={`/policies/${against.policy.slice(1)}`}><Mono>{against.policy}</Mono></To> · {word("split", each.split)}: <Mono>{said({ count: each.overall.verified, of: each.overall.episodes, ...each.overall })}</Mono>
          </Text>
        ))}
        <ByTemplate>
          <Figures label={`${title}: ${t("judging.byTemplate")}`} head={head} rows={Object.entries(against.templates).map(([name, each]) => [<Mono key="name">{name}</Mono>, ...figures(each)])} />
        </ByTemplate>
        {against.same_actions && <Alike title={t("judging.sameAction", { name: against.policy })} found={against.same_actions} />}
      </Stack>
    </Part>
  );
}

function ByTemplate({ children }: { children: ReactNode }) {
  const { t } = useWords();
  return (
    <details>
      <summary>{t("judging.byTemplate")}</summary>
      {children}
    </details>
  );
}

function Figures({ label, head, rows }: { label: string; head: string[]; rows: ReactNode[][] }) {
  return (
    <ScrollArea.Autosize mah={TALL} type="auto" tabIndex={0}>
      <Table aria-label={label} fz="sm" verticalSpacing={3} striped="even">
        <Table.Thead>
          <Table.Tr>
            {head.map((name, at) => (
              <Table.Th key={at}>{name}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((cells, row) => (
            <Table.Tr key={row}>
              {cells.map((cell, at) => (
                <Table.Td key={at}>{cell}</Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollArea.Autosize>
  );
}
