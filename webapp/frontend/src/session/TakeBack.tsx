/** For five seconds: one line that says what was just decided, and takes it back. */
import { Button, Group, Paper, Text } from "@mantine/core";
import { useEffect, useState, type ReactNode } from "react";

import { KeyHint } from "../components/KeyHint";
import { useKeys } from "../keys";
import { useWords } from "../words";
import { UNDO_MS } from "./undo";

interface TakeBackProps {
  children: ReactNode;
  /** When it was decided, by this window's clock. */
  at: number;
  run: () => void;
  isPending: boolean;
  /** Too late for another reason than the time, or done. */
  isOver?: boolean;
}

export function TakeBack({ children, at, run, isPending, isOver = false }: TakeBackProps) {
  const { t } = useWords();
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = window.setTimeout(() => setLate(true), Math.max(0, at + UNDO_MS - Date.now()));
    return () => window.clearTimeout(timer);
  }, [at]);
  const isOffered = !isLate && !isOver;
  useKeys([{ key: "u", label: t("undo.verb"), run, off: !isOffered || isPending }]);
  if (!isOffered) return null;
  return (
    <Paper role="status" py={6}>
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Text fz="sm" truncate>
          {children}
        </Text>
        <Button size="compact-xs" variant="default" loading={isPending} onClick={run} rightSection={<KeyHint of="u" />}>
          {t("undo.verb")}
        </Button>
      </Group>
    </Paper>
  );
}
