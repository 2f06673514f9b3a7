/** `/audit`: who did what to what, when and how; and whether the chain is whole. */
import { Alert, Button, Code, Group, Modal, Stack, Text, UnstyledButton } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { api } from "../api/client";
import type { AuditRow, ChainView, Listed } from "../api/types";
import { useIsAtLeast, useVerb } from "../api/verbs";
import { Hash, Mono } from "../components/badges";
import { ChoiceFilter, Listing, PAGE_SIZE, Pager, SearchFilter, useFilters } from "../components/listing";
import { Empty, Loaded, Page } from "../components/page";
import { Ago } from "../components/time";
import { useWords } from "../words";

const KINDS = ["ticket", "session", "step", "approval", "trajectory", "dataset", "training_run", "policy", "rollout", "switch", "user", "token"];

export default function AuditPage() {
  const { t, lang } = useWords();
  const filters = useFilters(["verb", "user", "object_kind", "object_id"]);
  const [shown, setShown] = useState<AuditRow | null>(null);
  const query = useQuery({
    queryKey: ["audit", filters.values, filters.offset],
    queryFn: () => api.get<Listed<AuditRow>>("/audit", { ...filters.values, limit: PAGE_SIZE, offset: filters.offset }),
    placeholderData: keepPreviousData,
  });
  return (
    <Page title={t("nav.audit")} actions={<ChainCheck />}>
      <Group gap="xs" role="search">
        <SearchFilter filters={filters} name="verb" label={t("audit.verb")} />
        <SearchFilter filters={filters} name="user" label={t("audit.user")} />
        <ChoiceFilter filters={filters} name="object_kind" label={t("audit.kind")} options={KINDS.map((value) => ({ value, label: value }))} />
        <SearchFilter filters={filters} name="object_id" label={t("audit.objectId")} />
      </Group>
      <Loaded query={query}>
        {({ items, count }) => (
          <>
            <Listing
              label={t("nav.audit")}
              rows={items}
              keyOf={(row) => row.id}
              empty={<Empty title={t("audit.empty")} />}
              columns={[
                { name: t("word.when"), cell: (row) => <Ago at={row.at} /> },
                { name: t("audit.user"), cell: (row) => row.actor },
                { name: t("audit.how"), cell: (row) => row.how },
                { name: t("audit.verb"), cell: (row) => <Mono>{row.verb}</Mono> },
                { name: t("audit.object"), cell: (row) => <Mono>{`${row.object_kind} ${row.object_id}`}</Mono> },
                {
                  name: t("audit.change"),
                  cell: (row) => (
                    <UnstyledButton onClick={() => setShown(row)} aria-label={`${t("audit.details")} ${row.id}`}>
                      <Text fz="xs" c="dimmed" ff="monospace" truncate maw={260}>
                        {JSON.stringify(row.after ?? row.before ?? {})}
                      </Text>
                    </UnstyledButton>
                  ),
                },
                { name: "#", cell: (row) => <Hash value={row.digest} /> },
              ]}
            />
            <Pager filters={filters} count={count} />
          </>
        )}
      </Loaded>
      <Modal opened={shown !== null} onClose={() => setShown(null)} title={shown?.verb} size="lg">
        {shown && (
          <Stack gap="xs">
            <Text fz="sm">
              {new Date(shown.at).toLocaleString(lang)} · {shown.actor} · {shown.how}
            </Text>
            <Text fz="xs">{t("audit.before")}</Text>
            <Code block>{JSON.stringify(shown.before, null, 2)}</Code>
            <Text fz="xs">{t("audit.after")}</Text>
            <Code block>{JSON.stringify(shown.after, null, 2)}</Code>
          </Stack>
        )}
      </Modal>
    </Page>
  );
}

function ChainCheck() {
  const { t } = useWords();
  const isAdmin = useIsAtLeast("admin");
  const check = useVerb(() => api.get<ChainView>("/audit/verify"));
  if (!isAdmin) return null;
  return (
    <Group gap="xs">
      {check.data && (
        <Alert color={check.data.ok ? "green" : "red"} py={4} role="status">
          {check.data.ok ? t("audit.ok", { n: check.data.entries }) : t("audit.broken", { n: check.data.first_broken ?? 0 })}
        </Alert>
      )}
      <Button variant="default" loading={check.isPending} onClick={() => check.mutate(undefined)}>
        {t("audit.check")}
      </Button>
    </Group>
  );
}
