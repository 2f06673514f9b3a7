/** `/policies/:number`: one version's card, where it came from, how it was judged, and its way out. */
import { Button, Code, Modal, NumberInput, Paper, Stack, Text, Textarea, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import Markdown from "react-markdown";
import { useNavigate, useParams } from "react-router";
import gfm from "remark-gfm";

import { api } from "../api/client";
import type { PolicyDetail, RolloutView } from "../api/types";
import { useIsAtLeast, useVerb } from "../api/verbs";
import { Aliases, Hash } from "../components/badges";
import { heldOutRows, liveRows, total, type ShareRow } from "../components/evaluation";
import { Evaluations } from "../components/Evaluations";
import { Lineage } from "../components/Lineage";
import { Facts, Loaded, Page, To } from "../components/page";
import { Shares } from "../components/Shares";
import { Ago } from "../components/time";
import { useWords } from "../words";

export default function PolicyPage() {
  const number = Number(useParams().number);
  const query = useQuery({ queryKey: ["policies", "one", number], queryFn: () => api.get<PolicyDetail>(`/policies/${number}`) });
  return <Loaded query={query}>{(policy) => <PolicyOf key={policy.number} policy={policy} />}</Loaded>;
}

function PolicyOf({ policy }: { policy: PolicyDetail }) {
  const { t, word } = useWords();
  return (
    <Page title={t("policy.heading", { name: policy.name })} beside={<Aliases aliases={policy.aliases} />} actions={<RollOut policy={policy} />}>
      <Stack gap="sm">
        <Paper>
          <Facts
            facts={[
              [t("word.source"), word("source", policy.source)],
              [t("word.created"), <Ago key="when" at={policy.created_at} />],
              [t("training.dataset"), policy.dataset === null ? (policy.source === "starter" ? t("policies.starterSet") : "—") : <To key="set" to={`/datasets/${policy.dataset}`}>{t("datasets.heading", { n: policy.dataset })}</To>],
              [t("word.id"), <Hash key="hash" value={policy.content_hash} />],
            ]}
          />
        </Paper>
        <Lineage policy={policy} />
        <Judged title={t("policy.evaluation")} rows={liveRows(policy.evaluation)} />
        <Judged title={t("policy.heldOut")} rows={heldOutRows(policy.evaluation)} />
        <Evaluations policy={policy} />
        <Note policy={policy} />
        {policy.card && (
          <Paper>
            <Title order={2} mb="xs">
              {t("policy.card")}
            </Title>
            <div className="markdown">
              <Markdown remarkPlugins={[gfm]}>{policy.card}</Markdown>
            </div>
          </Paper>
        )}
        <Paper>
          <details>
            <summary>{t("policy.spec")}</summary>
            <Code block mt="xs">
              {JSON.stringify({ spec: policy.spec, lineage: policy.lineage }, null, 2)}
            </Code>
          </details>
        </Paper>
      </Stack>
    </Page>
  );
}

function Judged({ title, rows }: { title: string; rows: ShareRow[] }) {
  const { t } = useWords();
  const all = total(rows);
  return (
    <Paper>
      <Title order={2} mb="xs">
        {title}
      </Title>
      {all ? (
        <>
          <Shares label={title} rows={[...rows, { ...all, name: t("policy.all") }]} />
          <Text fz="xs" c="dimmed">
            {t("policy.interval")}
          </Text>
        </>
      ) : (
        <Text fz="sm" c="dimmed">
          {t("policy.noEvaluation")}
        </Text>
      )}
    </Paper>
  );
}

function Note({ policy }: { policy: PolicyDetail }) {
  const { t } = useWords();
  const isAdmin = useIsAtLeast("admin");
  const [note, setNote] = useState(policy.note);
  const save = useVerb(() => api.patch(`/policies/${policy.number}`, { note }), { touches: ["policies"] });
  if (!isAdmin) return policy.note ? <Paper><Text fz="sm">{policy.note}</Text></Paper> : null;
  return (
    <Paper>
      <Stack gap="xs" align="flex-start">
        <Textarea label={t("word.note")} autosize minRows={1} w="100%" maw={720} value={note} onChange={(event) => setNote(event.currentTarget.value)} />
        <Button variant="default" disabled={note === policy.note} loading={save.isPending} onClick={() => save.mutate(undefined)}>
          {t("do.save")}
        </Button>
      </Stack>
    </Paper>
  );
}

function RollOut({ policy }: { policy: PolicyDetail }) {
  const { t } = useWords();
  const navigate = useNavigate();
  const isAdmin = useIsAtLeast("admin");
  const [isOpen, setOpen] = useState(false);
  const [weight, setWeight] = useState<string | number>(10);
  const start = useVerb(() => api.post<RolloutView>("/rollouts", { challenger: policy.number, weight: Number(weight) }), {
    touches: ["rollouts", "policies", "home"],
    done: (rollout) => void navigate(`/rollouts/${rollout.id}`),
  });
  if (!isAdmin || policy.aliases.length > 0) return null;
  return (
    <>
      <Button onClick={() => setOpen(true)}>{t("policy.rollOut")}</Button>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title={t("policy.rollOutTitle", { name: policy.name })}>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            start.mutate(undefined);
          }}
        >
          <Stack gap="sm">
            <Text fz="sm">{t("policy.rollOutBody")}</Text>
            <NumberInput data-autofocus label={t("policy.weight")} min={1} max={100} value={weight} onChange={setWeight} suffix=" %" allowDecimal={false} />
            <Button type="submit" loading={start.isPending} style={{ alignSelf: "flex-end" }}>
              {t("policy.rollOut")}
            </Button>
          </Stack>
        </form>
      </Modal>
    </>
  );
}
