/** What the console's own state says of the end, check by check. */
import { List, Text, ThemeIcon } from "@mantine/core";

import type { Verification } from "../api/contracts";
import { Said } from "../components/Said";
import { IconCheck, IconX } from "../icons";
import { useWords } from "../words";

export function Checks({ verification }: { verification: Verification }) {
  const { t } = useWords();
  const { checks } = verification;
  return (
    <div>
      <Text fz="xs" c="dimmed" mb={4}>
        {t("ended.checks")}
      </Text>
      {checks.length === 0 ? (
        <Text fz="sm">{t("ended.noChecks")}</Text>
      ) : (
        <List spacing={5} size="sm" lh={1.35} center>
          {checks.map((check) => (
            <List.Item
              key={check.name}
              icon={
                <ThemeIcon size={16} radius="xl" color={check.holds ? "green" : "red"} aria-label={t(check.holds ? "word.yes" : "word.no")} role="img">
                  {check.holds ? <IconCheck size={11} /> : <IconX size={11} />}
                </ThemeIcon>
              }
            >
              <Said>{check.name}</Said>
              {check.detail && (
                <Text span c="dimmed" fz="xs">
                  {" "}
                  <Said>{check.detail}</Said>
                </Text>
              )}
            </List.Item>
          ))}
        </List>
      )}
    </div>
  );
}
