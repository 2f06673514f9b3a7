/** The family of a policy version as a small graph; each version links to its page. */
import { Box, Group, Paper, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { api } from "../api/client";
import type { Listed, PolicyRow } from "../api/types";
import { useWords } from "../words";
import { Aliases, Mono } from "./badges";
import { liveRows, percent, total } from "./evaluation";
import { drawn, family, NODE, type Placed } from "./lineage";
import { To } from "./page";

export function Lineage({ policy }: { policy: PolicyRow }) {
  const { t } = useWords();
  const all = useQuery({ queryKey: ["policies", "all"], queryFn: () => api.get<Listed<PolicyRow>>("/policies", { limit: 200 }) });
  const others = (all.data?.items ?? []).filter(({ number }) => number !== policy.number);
  const { nodes, edges, width, height } = drawn(family([policy, ...others], policy.number));
  return (
    <Paper component="section" aria-label={t("policy.lineage")}>
      <Title order={2} mb="xs">
        {t("policy.lineage")}
      </Title>
      <Box className="lineage">
        <Box className="lineage-sheet" style={{ width, height }}>
          <svg width={width} height={height} aria-hidden>
            {edges.map(([from, to]) => (
              <path key={to.version.number} d={curve(from, to)} />
            ))}
          </svg>
          <ol>
            {nodes.map((node) => (
              <Node key={node.version.number} node={node} isHere={node.version.number === policy.number} />
            ))}
          </ol>
        </Box>
      </Box>
    </Paper>
  );
}

function curve(from: Placed<PolicyRow>, to: Placed<PolicyRow>): string {
  const [start, end] = [from.x + NODE.width / 2, to.x - NODE.width / 2];
  const middle = (start + end) / 2;
  return `M${start},${from.y} C${middle},${from.y} ${middle},${to.y} ${end},${to.y}`;
}

function Node({ node, isHere }: { node: Placed<PolicyRow>; isHere: boolean }) {
  const { t, word } = useWords();
  const { version } = node;
  const judged = total(liveRows(version.evaluation));
  return (
    <li
      className="lineage-node"
      data-here={isHere}
      aria-current={isHere || undefined}
      style={{ left: node.x - NODE.width / 2, top: node.y - NODE.height / 2, width: NODE.width, height: NODE.height }}
    >
      <Group gap={6} wrap="nowrap" justify="space-between">
        <To to={`/policies/${version.number}`}>
          <Mono>{version.name}</Mono>
        </To>
        {judged && <Mono>{percent(judged.rate)}</Mono>}
        <Aliases aliases={version.aliases} />
      </Group>
      <Text fz="xs" c="dimmed" truncate>
        {version.dataset === null ? (
          word("source", version.source)
        ) : (
          <>
            {word("source", version.source)} · <To to={`/datasets/${version.dataset}`}>{t("policy.datasetOf", { n: version.dataset })}</To>
          </>
        )}
      </Text>
    </li>
  );
}
