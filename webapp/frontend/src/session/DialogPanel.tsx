/** What a native dialog asked the person at the wheel; it was dismissed, and can be answered with OK. */
import { Alert, Button, Group, Text } from "@mantine/core";

import type { HandEvent } from "../api/contracts";
import type { StepView } from "../api/types";
import { Said } from "../components/Said";
import { useWords } from "../words";

interface DialogPanelProps {
  step: StepView | undefined;
  onEvent: (event: HandEvent) => void;
}

export function DialogPanel({ step, onEvent }: DialogPanelProps) {
  const { t } = useWords();
  if (step?.actor !== "operator" || step.result?.outcome !== "native_dialog") return null;
  return (
    <Alert color="yellow" title={t("session.dialog")} role="status">
      <Group justify="space-between" gap="sm">
        <Text fz="sm">
          <Said>{step.result.detail}</Said>
        </Text>
        <Button variant="default" onClick={() => onEvent({ kind: "agree" })}>
          {t("session.dialogAgree")}
        </Button>
      </Group>
    </Alert>
  );
}
