/** `/datasets`: frozen versions of the dataset. */
import { Button } from "@mantine/core";
import { IconSnowflake } from "../icons";
import { useQuery } from "@tanstack/react-query";

import { api } from "../api/client";
import type { DatasetRow, Listed } from "../api/types";
import { useIsAtLeast, useVerb } from "../api/verbs";
import { useAsk } from "../components/ask";
import { Hash } from "../components/badges";
import { Listing, PAGE_SIZE, Pager, useFilters } from "../components/listing";
import { Empty, Loaded, Page, To } from "../components/page";
import { Ago } from "../components/time";
import { useWords } from "../words";

export default function DatasetsPage() {
  const { t, word } = useWords();
  const filters = useFilters([]);
  const query = useQuery({
    queryKey: ["datasets", filters.offset],
    queryFn: () => api.get<Listed<DatasetRow>>("/datasets", { limit: PAGE_SIZE, offset: filters.offset }),
  });
  return (
    <Page title={t("nav.datasets")} actions={<Freeze />}>
      <Loaded query={query}>
        {({ items, count }) => (
          <>
            <Listing
              label={t("nav.datasets")}
              rows={items}
              keyOf={(row) => row.number}
              to={(row) => `/datasets/${row.number}`}
              empty={<Empty title={t("datasets.empty")}>{t("datasets.emptyBody")}</Empty>}
              columns={[
                { name: t("word.id"), cell: (row) => <To to={`/datasets/${row.number}`}>{t("datasets.heading", { n: row.number })}</To> },
                { name: t("word.reason"), cell: (row) => word("datasets.reason", row.reason) },
                { name: t("datasets.count"), right: true, cell: (row) => row.count },
                { name: t("datasets.added"), right: true, cell: (row) => `+${row.added}` },
                { name: t("datasets.manifest"), cell: (row) => <Hash value={row.manifest_hash} /> },
                { name: t("word.by"), cell: (row) => row.created_by ?? "—" },
                { name: t("word.when"), cell: (row) => <Ago at={row.created_at} /> },
              ]}
            />
            <Pager filters={filters} count={count} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Freeze() {
  const { t } = useWords();
  const ask = useAsk();
  const isAdmin = useIsAtLeast("admin");
  const freeze = useVerb(() => api.post("/datasets"), { touches: ["datasets"] });
  if (!isAdmin) return null;
  async function confirm(): Promise<void> {
    if (await ask({ title: t("datasets.freezeTitle"), body: t("datasets.freezeBody"), verb: t("datasets.freeze") })) freeze.mutate(undefined);
  }
  return (
    <Button leftSection={<IconSnowflake size={14} />} loading={freeze.isPending} onClick={() => void confirm()}>
      {t("datasets.freeze")}
    </Button>
  );
}
