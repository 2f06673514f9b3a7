/** An admin asks for a training: of which kind, from which version on, for how long. */
import { Button, Group, Modal, NumberInput, Select, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useNavigate } from "react-router";

import { api, Problem } from "../api/client";
import type { Listed, PolicyRow, RunRow, TrainingKind, TrainingPlan } from "../api/types";
import { useIsAtLeast, useVerb } from "../api/verbs";
import { IconPlayerPlay } from "../icons";
import { useWords } from "../words";
import { Loaded } from "./page";

const KINDS: TrainingKind[] = ["bc", "midtrain", "offline", "distill"];
const SHARES = ["0.5", "0.25", "0.125"] as const;
const NOTHING = "nothing";

export function NewRun() {
  const { t } = useWords();
  const isAdmin = useIsAtLeast("admin");
  const [isOpen, setOpen] = useState(false);
  const plan = useQuery({ queryKey: ["training", "plan"], queryFn: () => api.get<TrainingPlan>("/training/plan") });
  const versions = useQuery({ queryKey: ["policies", "all"], queryFn: () => api.get<Listed<PolicyRow>>("/policies", { limit: 200 }), enabled: isOpen });
  if (!isAdmin) return null;
  return (
    <>
      <Button leftSection={<IconPlayerPlay size={14} />} onClick={() => setOpen(true)}>
        {t("training.start")}
      </Button>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title={t("training.wish")} closeButtonProps={{ "aria-label": t("do.close") }}>
        <Loaded query={plan}>
          {(planned) => <Loaded query={versions}>{({ items }) => <RunForm plan={planned} versions={items} />}</Loaded>}
        </Loaded>
      </Modal>
    </>
  );
}

function RunForm({ plan, versions }: { plan: TrainingPlan; versions: PolicyRow[] }) {
  const { t } = useWords();
  const navigate = useNavigate();
  const champion = versions.find(({ aliases }) => aliases.includes("champion"))?.number ?? versions[0]?.number;
  const [kind, setKind] = useState<TrainingKind>("bc");
  const [parent, setParent] = useState(champion === undefined ? NOTHING : String(champion));
  const [learn, setLearn] = useState<string | number>(plan.learn_s / 60);
  const [practise, setPractise] = useState<string | number>(plan.practice_s / 60);
  const [share, setShare] = useState<(typeof SHARES)[number]>("0.25");
  const [seed, setSeed] = useState<string | number>(0);
  const isStudent = kind === "distill";
  const start = useVerb(() => api.post<RunRow>("/training", wish()), {
    touches: ["training", "datasets"],
    done: (run) => void navigate(`/training/${run.id}`),
    refused: (problem) => problem instanceof Problem && problem.body.errors !== undefined,
  });
  const wrong = start.error instanceof Problem ? (start.error.body.errors ?? {}) : {};

  /** Only what is not as planned, so that asking twice for the same is one run. */
  function wish() {
    const asked = { learn_s: Math.round(Number(learn) * 60), practice_s: Math.round(Number(practise) * 60) };
    return {
      seed: Number(seed),
      ...(kind !== "bc" && { kind }),
      ...(isStudent && { share: Number(share) }),
      ...(parent === NOTHING ? { from_nothing: true } : Number(parent) !== champion && { parent: Number(parent) }),
      ...(asked.learn_s !== plan.learn_s && { learn_s: asked.learn_s }),
      ...(asked.practice_s !== plan.practice_s && { practice_s: asked.practice_s }),
    };
  }

  const offered = versions.map(({ number, name, aliases }) => ({ value: String(number), label: [name, ...aliases].join(" · ") }));
  return (
    <form
      aria-label={t("training.wish")}
      onSubmit={(event) => {
        event.preventDefault();
        start.mutate(undefined);
      }}
    >
      <Stack gap="sm">
        <Select
          data-autofocus
          label={t("training.kind")}
          data={KINDS.map((value) => ({ value, label: t(`training.kind.${value}`) }))}
          value={kind}
          onChange={(value) => setKind(KINDS.find((each) => each === value) ?? "bc")}
          allowDeselect={false}
          description={t(`training.about.${kind}`)}
          inputWrapperOrder={["label", "input", "description", "error"]}
        />
        <Select
          label={t(isStudent ? "training.teacher" : "training.from")}
          data={isStudent ? offered : [...offered, { value: NOTHING, label: t("training.fromNothing") }]}
          value={parent}
          onChange={(value) => setParent(value ?? NOTHING)}
          allowDeselect={false}
          error={wrong.parent}
        />
        {isStudent && (
          <Select
            label={t("training.size")}
            data={SHARES.map((value) => ({ value, label: t(`training.size.${value}`) }))}
            value={share}
            onChange={(value) => setShare(SHARES.find((each) => each === value) ?? "0.25")}
            allowDeselect={false}
            error={wrong.share}
          />
        )}
        <Group grow align="flex-end">
          <NumberInput label={t("training.learn")} min={0.1} step={0.5} decimalScale={1} value={learn} onChange={setLearn} error={wrong.learn_s} required withAsterisk={false} />
          <NumberInput label={t("training.practise")} min={0} step={0.5} decimalScale={1} value={practise} onChange={setPractise} error={wrong.practice_s} required withAsterisk={false} />
        </Group>
        <NumberInput label={t("training.seed")} description={t("training.seedHint")} min={0} allowDecimal={false} value={seed} onChange={setSeed} error={wrong.seed} required withAsterisk={false} />
        <Text fz="xs" c="dimmed">
          {t("training.startBody")} {t("training.learnHint")}
        </Text>
        <Button type="submit" loading={start.isPending} style={{ alignSelf: "flex-end" }}>
          {t("training.start")}
        </Button>
      </Stack>
    </form>
  );
}
