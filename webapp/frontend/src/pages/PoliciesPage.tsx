/** `/policies`: every version, where it came from and where it serves. */
import { useQuery } from "@tanstack/react-query";

import { api } from "../api/client";
import type { Listed, PolicyRow } from "../api/types";
import { Aliases, Hash, Mono } from "../components/badges";
import { heldOutRows, liveRows, percent, total, type ShareRow } from "../components/evaluation";
import { Listing, PAGE_SIZE, Pager, useFilters } from "../components/listing";
import { Empty, Loaded, Page, To } from "../components/page";
import { Ago } from "../components/time";
import { useWords } from "../words";

export default function PoliciesPage() {
  const { t, word } = useWords();
  const filters = useFilters([]);
  const query = useQuery({
    queryKey: ["policies", filters.offset],
    queryFn: () => api.get<Listed<PolicyRow>>("/policies", { limit: PAGE_SIZE, offset: filters.offset }),
  });
  return (
    <Page title={t("nav.policies")}>
      <Loaded query={query}>
        {({ items, count }) => (
          <>
            <Listing
              label={t("nav.policies")}
              rows={items}
              keyOf={(row) => row.number}
              to={(row) => `/policies/${row.number}`}
              empty={<Empty title={t("policies.empty")}>{t("policies.emptyBody")}</Empty>}
              columns={[
                { name: t("word.policy"), cell: (row) => <To to={`/policies/${row.number}`}><Mono>{row.name}</Mono></To> },
                { name: t("policies.serves"), cell: (row) => <Aliases aliases={row.aliases} /> },
                { name: t("word.source"), cell: (row) => word("source", row.source) },
                { name: t("training.parent"), cell: (row) => (row.parent === null ? "—" : <To to={`/policies/${row.parent}`}><Mono>v{row.parent}</Mono></To>) },
                { name: t("training.dataset"), cell: (row) => (row.dataset === null ? (row.source === "starter" ? t("policies.starterSet") : "—") : <To to={`/datasets/${row.dataset}`}><Mono>{row.dataset}</Mono></To>) },
                { name: t("policies.live"), cell: (row) => <Overall rows={liveRows(row.evaluation)} /> },
                { name: t("policies.heldOut"), cell: (row) => <Overall rows={heldOutRows(row.evaluation)} /> },
                { name: t("word.id"), wide: true, cell: (row) => <Hash value={row.content_hash} /> },
                { name: t("word.created"), cell: (row) => <Ago at={row.created_at} /> },
              ]}
            />
            <Pager filters={filters} count={count} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Overall({ rows }: { rows: ShareRow[] }) {
  const all = total(rows);
  if (!all) return "—";
  return (
    <Mono>
      {percent(all.rate)} [{percent(all.low)}, {percent(all.high)}]
    </Mono>
  );
}
