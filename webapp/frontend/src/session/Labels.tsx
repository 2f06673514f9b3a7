/** Failure labels on a session or one of its steps, put on and taken off by number keys. */
import { Badge, Button, Group, Kbd, Paper, SegmentedControl, Stack, Text, UnstyledButton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { api } from "../api/client";
import type { LabelView, Mark, SessionView } from "../api/types";
import { useVerb } from "../api/verbs";
import { KeyHint } from "../components/KeyHint";
import { useKeys } from "../keys";
import { useWords } from "../words";

const SEVERE = ["red", "red", "orange", "yellow", "gray"];

interface LabelsProps {
  view: SessionView;
  /** Index of the step that is open, if one is. */
  openStep: number | null;
}

export function Labels({ view, openStep }: LabelsProps) {
  const { t } = useWords();
  const [isOpen, setOpen] = useState(false);
  const [onStep, setOnStep] = useState(false);
  const labels = useQuery({ queryKey: ["labels"], queryFn: () => api.get<LabelView[]>("/labels"), staleTime: 300_000 });
  const step = onStep ? view.steps.find(({ index }) => index === openStep) : undefined;
  const stepId = step?.id ?? null;
  const known = labels.data ?? [];
  const titleOf = (key: string) => known.find((label) => label.key === key)?.title ?? key;
  const markOf = (key: string) => view.marks.find((mark) => mark.label === key && mark.step_id === stepId);

  const put = useVerb(
    (key: string) => api.post(`/sessions/${view.id}/labels`, { label: key, step_id: stepId, note: "" }),
    { touches: ["session"] },
  );
  const take = useVerb((mark: Mark) => api.delete(`/sessions/${view.id}/labels/${mark.id}`), { touches: ["session"] });
  const toggle = (key: string) => {
    const mark = markOf(key);
    if (mark) take.mutate(mark);
    else put.mutate(key);
  };

  useKeys([
    { key: "l", label: t("labels.add"), run: () => setOpen(!isOpen), off: !view.can.label },
    { key: "escape", label: t("do.close"), run: () => setOpen(false), off: !isOpen, first: true },
    ...known.slice(0, 9).map((label, at) => ({
      key: String(at + 1),
      label: label.title,
      run: () => toggle(label.key),
      off: !isOpen,
      first: true,
    })),
  ]);

  return (
    <Paper component="section" aria-label={t("labels.title")}>
      <Stack gap="xs">
        <Group justify="space-between" gap="xs">
          <Group gap={4}>
            <Text fz="sm" fw={600}>
              {t("labels.title")}
            </Text>
            {view.marks.map((mark) => (
              <Badge key={mark.id} color={SEVERE[known.find(({ key }) => key === mark.label)?.severity ?? 3] ?? "gray"}>
                {titleOf(mark.label)}
                {mark.step_id !== null ? ` · ${stepNumber(view, mark.step_id)}` : ""}
              </Badge>
            ))}
            {view.marks.length === 0 && (
              <Text fz="sm" c="dimmed">
                {t("labels.none")}
              </Text>
            )}
          </Group>
          <Button
            size="compact-xs"
            variant="default"
            disabled={!view.can.label}
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
            rightSection={<KeyHint of="l" />}
          >
            {t("labels.add")}
          </Button>
        </Group>
        {isOpen && (
          <>
            <SegmentedControl
              value={onStep && openStep !== null ? "step" : "session"}
              onChange={(value) => setOnStep(value === "step")}
              data={[
                { value: "session", label: t("labels.onSession") },
                { value: "step", label: t("labels.onStep", { n: openStep ?? 1 }), disabled: openStep === null },
              ]}
            />
            <div role="group" aria-label={t("labels.title")}>
              {known.map((label, at) => (
                <UnstyledButton
                  key={label.key}
                  className="choice"
                  aria-pressed={markOf(label.key) !== undefined}
                  data-active={markOf(label.key) !== undefined}
                  title={label.description}
                  onClick={() => toggle(label.key)}
                >
                  {at < 9 && <Kbd>{at + 1}</Kbd>}
                  <Text fz="sm" flex={1}>
                    {label.title}
                  </Text>
                  <Badge size="xs" color={SEVERE[label.severity] ?? "gray"}>
                    {t("labels.severity", { n: label.severity })}
                  </Badge>
                </UnstyledButton>
              ))}
            </div>
            <Text fz="xs" c="dimmed">
              {t("labels.hint")}
            </Text>
          </>
        )}
      </Stack>
    </Paper>
  );
}

function stepNumber(view: SessionView, id: number): number {
  return view.steps.find((step) => step.id === id)?.index ?? 0;
}
