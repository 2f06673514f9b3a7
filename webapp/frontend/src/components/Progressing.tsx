/** How far long work is, and what it is at. */
import { Progress, Text } from "@mantine/core";

import { useWords } from "../words";

export function Progressing({ job }: { job: { state: string; phase: string; progress: number } }) {
  const { t, word } = useWords();
  // How far it came is of interest while it goes on, and where it stopped before its end.
  if (job.state === "completed") return <Text c="dimmed" fz="sm">{word("state", "done")}</Text>;
  return (
    <div>
      <Progress
        value={job.progress * 100}
        color={job.state === "failed" ? "red" : undefined}
        animated={job.state === "running"}
        size={6}
        aria-label={t("training.progress")}
      />
      <Text fz="xs" c="dimmed">
        {job.phase ? word("phase", job.phase) : ""} {Math.round(job.progress * 100)} %
      </Text>
    </div>
  );
}
