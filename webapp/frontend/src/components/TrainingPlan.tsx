/** When a training starts by itself and how long it may take: read by all, set by admins. */
import { Button, Group, NumberInput, Paper, Select, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { api } from "../api/client";
import type { TrainingPlan } from "../api/types";
import { useIsAtLeast, useVerb } from "../api/verbs";
import { useWords } from "../words";
import { Loaded } from "./page";
import { Ago } from "./time";

const minutes = (seconds: number): number => Math.round(seconds / 6) / 10;
const QUEUES = ["training", "training-gpu"] as const;

export function Plan() {
  const query = useQuery({ queryKey: ["training", "plan"], queryFn: () => api.get<TrainingPlan>("/training/plan") });
  return <Loaded query={query}>{(plan) => <PlanForm key={plan.changed_at} plan={plan} />}</Loaded>;
}

function PlanForm({ plan }: { plan: TrainingPlan }) {
  const { t } = useWords();
  const isAdmin = useIsAtLeast("admin");
  const [after, setAfter] = useState<string | number>(plan.after_accepted);
  const [learn, setLearn] = useState<string | number>(minutes(plan.learn_s));
  const [practise, setPractise] = useState<string | number>(minutes(plan.practice_s));
  const [queue, setQueue] = useState(plan.queue);
  const wanted = {
    after_accepted: Number(after),
    learn_s: Math.round(Number(learn) * 60),
    practice_s: Math.round(Number(practise) * 60),
    queue,
  };
  const save = useVerb(() => api.put("/training/plan", wanted), { touches: ["training", "home"] });
  const isSame =
    wanted.after_accepted === plan.after_accepted &&
    Number(learn) === minutes(plan.learn_s) &&
    Number(practise) === minutes(plan.practice_s) &&
    queue === plan.queue;
  const isWhole = [after, learn, practise].every((each) => each !== "");
  return (
    <Paper
      component="form"
      mb="sm"
      aria-label={t("training.plan")}
      onSubmit={(event: React.FormEvent) => {
        event.preventDefault();
        save.mutate(undefined);
      }}
    >
      <Group align="flex-end" gap="md">
        <NumberInput label={t("training.after")} min={1} value={after} onChange={setAfter} disabled={!isAdmin} allowDecimal={false} w={210} />
        <NumberInput label={t("training.learn")} min={0.1} step={0.5} decimalScale={1} value={learn} onChange={setLearn} disabled={!isAdmin} w={220} />
        <NumberInput
          label={t("training.practise")}
          min={0}
          step={0.5}
          decimalScale={1}
          value={practise}
          onChange={setPractise}
          disabled={!isAdmin}
          w={230}
        />
        <Select
          label={t("training.queue")}
          data={QUEUES.map((value) => ({ value, label: t(`training.queue.${value}`) }))}
          value={queue}
          onChange={(value) => setQueue(QUEUES.find((each) => each === value) ?? "training")}
          allowDeselect={false}
          disabled={!isAdmin}
          w={150}
        />
        {isAdmin && (
          <Button type="submit" disabled={isSame || !isWhole} loading={save.isPending}>
            {t("do.save")}
          </Button>
        )}
      </Group>
      <Text fz="xs" c="dimmed" mt={6}>
        {t("training.learnHint")} {t("training.practiseHint")} {t("training.planHolds")}
        {plan.changed_by !== null && plan.changed_at !== null && (
          <>
            {" "}
            {t("training.changedBy", { who: plan.changed_by })}, <Ago at={plan.changed_at} />
          </>
        )}
      </Text>
    </Paper>
  );
}
