/** Status in one colour and one word, the same everywhere. */
import { Badge, Code, Group, Text, Tooltip, type MantineColor } from "@mantine/core";
import { IconAlertTriangle } from "../icons";

import { useWords } from "../words";

const STATE_COLORS: Record<string, MantineColor> = {
  queued: "gray",
  starting: "cyan",
  running: "blue",
  awaiting_approval: "yellow",
  paused: "orange",
  user_control: "red",
  completed: "green",
  failed: "red",
  rejected: "orange",
  cancelled: "gray",
  timed_out: "orange",
  open: "blue",
  done: "green",
  promoted: "green",
  rolled_back: "orange",
};

export function StateBadge({ state }: { state: string }) {
  const { word } = useWords();
  const variant = state === "awaiting_approval" || state === "user_control" ? "filled" : "light";
  return (
    <Badge color={STATE_COLORS[state] ?? "gray"} variant={variant} autoContrast>
      {word("state", state)}
    </Badge>
  );
}

const OUTCOME_COLORS: Record<string, MantineColor> = { verified: "green", failed: "red", unverified: "gray" };

export function OutcomeBadge({ outcome }: { outcome: string }) {
  const { word } = useWords();
  if (!outcome) return <Text c="dimmed" span>—</Text>;
  return <Badge color={OUTCOME_COLORS[outcome] ?? "gray"}>{word("outcome", outcome)}</Badge>;
}

const RISK_COLORS: Record<string, MantineColor> = {
  read: "gray",
  reversible: "blue",
  cost: "yellow",
  credential: "grape",
  destructive: "red",
  unknown: "orange",
};
const LOUD = new Set(["credential", "destructive", "unknown"]);

export function RiskBadge({ risk, named = false }: { risk: string; named?: boolean }) {
  const { t, word } = useWords();
  return (
    <Badge
      color={RISK_COLORS[risk] ?? "orange"}
      variant={LOUD.has(risk) ? "filled" : "light"}
      autoContrast
      leftSection={LOUD.has(risk) ? <IconAlertTriangle size={11} aria-hidden /> : null}
    >
      {named ? `${t("risk.label")}: ` : ""}
      {word("risk", risk)}
    </Badge>
  );
}

export function PolicyName({ policy, arm = "" }: { policy: string | null; arm?: string }) {
  const { word, t } = useWords();
  if (!policy) return <Text c="dimmed" span fz="sm">{t("word.none")}</Text>;
  return (
    <Group gap={4} wrap="nowrap" component="span" display="inline-flex">
      <Mono>{policy}</Mono>
      {arm === "challenger" && (
        <Badge color="grape" size="xs">
          {word("arm", arm)}
        </Badge>
      )}
    </Group>
  );
}

/** The names that a policy version serves under. */
export function Aliases({ aliases }: { aliases: string[] }) {
  const { word } = useWords();
  return (
    <Group gap={4} wrap="nowrap">
      {aliases.map((alias) => (
        <Badge key={alias} color={alias === "champion" ? "green" : "grape"}>
          {word("arm", alias)}
        </Badge>
      ))}
    </Group>
  );
}

export function Mono({ children }: { children: React.ReactNode }) {
  return (
    <Text span ff="monospace" fz="0.95em" style={{ whiteSpace: "nowrap" }}>
      {children}
    </Text>
  );
}

/** A hash, shortened; whole in the tooltip. */
export function Hash({ value }: { value: string }) {
  return (
    <Tooltip label={value}>
      <Code fz="xs">{value.slice(0, 10)}</Code>
    </Tooltip>
  );
}
