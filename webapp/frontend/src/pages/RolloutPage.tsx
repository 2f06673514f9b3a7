/** `/rollouts/:id`: how the two arms fare, and the verbs: weight, pause, promote, roll back. */
import { Button, Group, NumberInput, Paper, Stack, Table, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { useParams } from "react-router";

import { api } from "../api/client";
import type { Arm, Listed, RolloutView, SessionRow } from "../api/types";
import { useIsAtLeast, useVerb } from "../api/verbs";
import { useAsk } from "../components/ask";
import { Mono, StateBadge } from "../components/badges";
import { percent, type ShareRow } from "../components/evaluation";
import { Empty, Facts, Loaded, Page, To } from "../components/page";
import { Shares } from "../components/Shares";
import { SessionTable } from "../components/tickets";
import { Ago } from "../components/time";
import { useWords } from "../words";

export default function RolloutPage() {
  const id = Number(useParams().id);
  const query = useQuery({ queryKey: ["rollout", id], queryFn: () => api.get<RolloutView>(`/rollouts/${id}`) });
  return <Loaded query={query}>{(rollout) => <RolloutOf rollout={rollout} />}</Loaded>;
}

function RolloutOf({ rollout }: { rollout: RolloutView }) {
  const { t } = useWords();
  const { champion, challenger } = rollout.arms;
  return (
    <Page title={t("rollout.heading", { id: rollout.id })} beside={<StateBadge state={rollout.state} />} actions={<Verbs rollout={rollout} />}>
      <Stack gap="sm">
        <Paper>
          <Facts
            facts={[
              [t("arm.challenger"), <To key="challenger" to={`/policies/${rollout.challenger}`}><Mono>v{rollout.challenger}</Mono></To>],
              [t("arm.champion"), <To key="champion" to={`/policies/${rollout.champion}`}><Mono>v{rollout.champion}</Mono></To>],
              [t("rollout.weight"), `${rollout.weight} %`],
              [t("rollout.started"), <span key="started"><Ago at={rollout.started_at} /> · {rollout.started_by ?? t("word.byItself")}</span>],
              [t("rollout.ended"), rollout.ended_at === null ? "—" : <span key="ended"><Ago at={rollout.ended_at} /> · {rollout.ended_by ?? t("word.byItself")}</span>],
              ...(rollout.reason ? [[t("word.reason"), rollout.reason] as [string, ReactNode]] : []),
            ]}
          />
        </Paper>
        {champion && challenger && <Arms arms={{ champion, challenger }} />}
        <Sessions rollout={rollout} />
      </Stack>
    </Page>
  );
}

/** The newest of what it counts, each with its replay. */
function Sessions({ rollout }: { rollout: RolloutView }) {
  const { t } = useWords();
  const query = useQuery({
    queryKey: ["sessions", "rollout", rollout.id],
    queryFn: () => api.get<Listed<SessionRow>>("/sessions", { rollout: rollout.id, limit: 20 }),
  });
  return (
    <div>
      <Title order={2} mb={6}>
        {t("rollout.sessionsOf")}
      </Title>
      <Loaded query={query}>
        {({ items }) => <SessionTable label={t("rollout.sessionsOf")} rows={items} empty={<Empty title={t("rollout.noSession")} />} withTicket />}
      </Loaded>
    </div>
  );
}

function Arms({ arms }: { arms: { champion: Arm; challenger: Arm } }) {
  const { t } = useWords();
  const sides = [arms.champion, arms.challenger];
  const rows: [string, (arm: Arm) => ReactNode][] = [
    [t("word.policy"), (arm) => <Mono>v{arm.policy}</Mono>],
    [t("rollout.sessions"), (arm) => arm.tickets],
    [t("rollout.share"), (arm) => percent(arm.share)],
    [t("outcome.verified"), (arm) => arm.verified],
    [t("outcome.failed"), (arm) => arm.failed],
    [t("outcome.unverified"), (arm) => arm.unverified],
    [t("word.corrections"), (arm) => arm.corrections],
    [t("word.takeovers"), (arm) => arm.takeovers],
    [t("rollout.meanSteps"), (arm) => (arm.mean_steps === null ? "—" : arm.mean_steps.toFixed(1))],
  ];
  const judged = (["champion", "challenger"] as const).flatMap((side): ShareRow[] => {
    const arm = arms[side];
    if (arm.verified_rate === null || arm.interval === null) return [];
    return [
      {
        name: `${t(`arm.${side}`)} v${arm.policy}`,
        rate: arm.verified_rate,
        low: arm.interval[0],
        high: arm.interval[1],
        verified: arm.verified,
        n: arm.verified + arm.failed,
      },
    ];
  });
  return (
    <Paper>
      <Title order={2} mb="xs">
        {t("rollout.arms")}
      </Title>
      {judged.length > 0 ? (
        <Shares label={t("rollout.verifiedRate")} rows={judged} />
      ) : (
        <Text fz="sm" c="dimmed" mb="xs">
          {t("rollout.noData")}
        </Text>
      )}
      <Table aria-label={t("rollout.arms")} maw={620}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th />
            <Table.Th ta="right">{t("arm.champion")}</Table.Th>
            <Table.Th ta="right">{t("arm.challenger")}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(([name, cell]) => (
            <Table.Tr key={name}>
              <Table.Th scope="row">{name}</Table.Th>
              {sides.map((arm, at) => (
                <Table.Td key={at} ta="right">
                  {cell(arm)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}

function Verbs({ rollout }: { rollout: RolloutView }) {
  const { t } = useWords();
  const ask = useAsk();
  const isAdmin = useIsAtLeast("admin");
  const [weight, setWeight] = useState<string | number>(rollout.weight);
  const verb = useVerb(({ path, body }: { path: string; body: unknown }) => api.post(`/rollouts/${rollout.id}/${path}`, body), {
    touches: ["rollout", "rollouts", "policies", "home"],
  });
  if (!isAdmin || rollout.state === "promoted" || rollout.state === "rolled_back") return null;
  const name = `v${rollout.challenger}`;
  async function promote(): Promise<void> {
    const answer = await ask({ title: t("rollout.promoteTitle", { name }), body: t("rollout.promoteBody"), verb: t("rollout.promote"), reason: "wanted" });
    if (answer) verb.mutate({ path: "promote", body: answer });
  }
  async function rollBack(): Promise<void> {
    const answer = await ask({
      title: t("rollout.rollBackTitle", { name }),
      body: t("rollout.rollBackBody"),
      verb: t("rollout.rollBack"),
      danger: true,
      reason: "needed",
    });
    if (answer) verb.mutate({ path: "roll-back", body: answer });
  }
  const isPaused = rollout.state === "paused";
  return (
    <Group gap="xs">
      <NumberInput aria-label={t("policy.weight")} w={84} min={0} max={100} suffix=" %" allowDecimal={false} value={weight} onChange={setWeight} />
      <Button
        variant="default"
        disabled={Number(weight) === rollout.weight || verb.isPending}
        onClick={() => verb.mutate({ path: "weight", body: { weight: Number(weight) } })}
      >
        {t("rollout.setWeight")}
      </Button>
      <Button variant="default" disabled={verb.isPending} onClick={() => verb.mutate({ path: isPaused ? "resume" : "pause", body: {} })}>
        {t(isPaused ? "rollout.resume" : "rollout.pause")}
      </Button>
      <Button variant="light" color="red" disabled={verb.isPending} onClick={() => void rollBack()}>
        {t("rollout.rollBack")}
      </Button>
      <Button disabled={verb.isPending} onClick={() => void promote()}>
        {t("rollout.promote")}
      </Button>
    </Group>
  );
}
