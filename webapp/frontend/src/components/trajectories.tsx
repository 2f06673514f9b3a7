/** Trajectories as rows. */
import { Text } from "@mantine/core";
import type { ReactNode } from "react";

import type { TrajectoryRow } from "../api/types";
import { useWords } from "../words";
import { Hash, Mono, OutcomeBadge, PolicyName } from "./badges";
import { Listing } from "./listing";
import { To } from "./page";
import { Said } from "./Said";
import { useNames } from "./tickets";
import { Ago } from "./time";

export const sizeText = (bytes: number): string =>
  bytes < 1024 ? `${bytes} B` : bytes < 1024 ** 2 ? `${Math.round(bytes / 1024)} KiB` : `${(bytes / 1024 ** 2).toFixed(1)} MiB`;

export function TrajectoryTable({ rows, empty }: { rows: TrajectoryRow[]; empty: ReactNode }) {
  const { t, word } = useWords();
  const names = useNames();
  return (
    <Listing
      label={t("nav.trajectories")}
      rows={rows}
      keyOf={(row) => row.content_hash}
      to={(row) => `/trajectories/${row.content_hash}`}
      empty={empty}
      columns={[
        { name: t("word.id"), wide: true, cell: (row) => <Hash value={row.content_hash} /> },
        {
          name: t("word.goal"),
          cell: (row) => (
            <>
              <To to={`/trajectories/${row.content_hash}`}>
                <Said>{row.goal}</Said>
              </To>
              <Text fz="xs" c="dimmed">
                {names.environment(row.environment)} · {names.template(row.template)}
              </Text>
            </>
          ),
        },
        { name: t("word.source"), cell: (row) => word("source", row.source) },
        { name: t("word.outcome"), cell: (row) => <OutcomeBadge outcome={row.outcome} /> },
        { name: t("word.policy"), wide: true, cell: (row) => <PolicyName policy={row.policy} /> },
        { name: t("word.steps"), right: true, cell: (row) => row.steps },
        { name: t("word.corrections"), right: true, cell: (row) => row.corrections },
        { name: t("word.demonstrations"), wide: true, right: true, cell: (row) => row.demonstrations },
        { name: t("word.size"), wide: true, right: true, cell: (row) => <Mono>{sizeText(row.size_bytes)}</Mono> },
        { name: t("trajectories.appended"), cell: (row) => <Ago at={row.appended_at} /> },
      ]}
    />
  );
}
