/** `/audit`: who did what to what, when and how; and whether the chain is whole. */
import { Alert, Button, Code, Group, Menu, Modal, Stack, Text, UnstyledButton } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { api, queryString } from "../api/client";
import type { AuditRow, ChainView, Listed } from "../api/types";
import { useIsAtLeast, useVerb } from "../api/verbs";
import { Hash, Mono } from "../components/badges";
import { ChoiceFilter, Listing, PAGE_SIZE, Pager, SearchFilter, useFilters, type Filters } from "../components/listing";
import { Empty, Loaded, Page, To } from "../components/page";
import { Said } from "../components/Said";
import { Ago } from "../components/time";
import { apart, visible } from "../visible";
import { useWords } from "../words";

const KINDS = ["ticket", "session", "step", "approval", "trajectory", "dataset", "training_run", "training_plan", "policy", "rollout", "switch", "user", "token"];

export default function AuditPage() {
  const { t, word, lang } = useWords();
  const filters = useFilters(["verb", "user", "object_kind", "object_id"]);
  const [shown, setShown] = useState<AuditRow | null>(null);
  const query = useQuery({
    queryKey: ["audit", filters.values, filters.offset],
    queryFn: () => api.get<Listed<AuditRow>>("/audit", { ...filters.values, limit: PAGE_SIZE, offset: filters.offset }),
    placeholderData: keepPreviousData,
  });
  return (
    <Page title={t("nav.audit")} actions={<><ChainCheck /><Export filters={filters} /></>}>
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
                { name: t("audit.user"), cell: (row) => <span style={{ whiteSpace: "nowrap" }}>
                    <Said>{row.actor}</Said>
                  </span> },
                { name: t("audit.how"), wide: true, cell: (row) => <span style={{ whiteSpace: "nowrap" }}>{word("how", row.how)}</span> },
                { name: t("audit.verb"), cell: (row) => <Mono>{row.verb}</Mono> },
                { name: t("audit.object"), cell: (row) => <ObjectLink row={row} /> },
                {
                  name: t("audit.change"),
                  cell: (row) => (
                    <UnstyledButton onClick={() => setShown(row)} aria-label={`${t("audit.details")} ${row.id}`}>
                      <Text fz="xs" c="dimmed" ff="monospace" truncate maw="min(380px, 26vw)">
                        <Said>{inShort(row.after ?? row.before)}</Said>
                      </Text>
                    </UnstyledButton>
                  ),
                },
                { name: "#", wide: true, cell: (row) => <Hash value={row.digest} /> },
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
              {new Date(shown.at).toLocaleString(lang)} · {apart(shown.actor)} · {word("how", shown.how)}
            </Text>
            <Text fz="xs">{t("audit.before")}</Text>
            <Code block>{visible(JSON.stringify(shown.before, null, 2))}</Code>
            <Text fz="xs">{t("audit.after")}</Text>
            <Code block>{visible(JSON.stringify(shown.after, null, 2))}</Code>
          </Stack>
        )}
      </Modal>
    </Page>
  );
}

const PLACES: Record<string, string> = {
  ticket: "/tickets",
  session: "/sessions",
  trajectory: "/trajectories",
  dataset: "/datasets",
  training_run: "/training",
  policy: "/policies",
  rollout: "/rollouts",
};

function ObjectLink({ row }: { row: AuditRow }) {
  const place = PLACES[row.object_kind];
  const isHash = row.object_id.length > 20;
  const name = <Mono>{`${row.object_kind} ${isHash ? row.object_id.slice(0, 10) : row.object_id}`}</Mono>;
  return place && row.object_id !== "starter" ? <To to={`${place}/${row.object_id}`}>{name}</To> : name;
}

/** What changed, as a person skims it; the whole is one click away. */
function inShort(value: unknown): string {
  if (typeof value !== "object" || value === null) return value === null || value === undefined ? "—" : String(value);
  const plain = Object.entries(value).filter(([, each]) => each !== null && each !== "" && typeof each !== "object");
  return plain.map(([name, each]) => `${name}: ${String(each)}`).join(" · ") || "—";
}

function Export({ filters }: { filters: Filters }) {
  const { t } = useWords();
  const address = (format: string) => `/api/audit/export${queryString({ ...filters.values, format })}`;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default">{t("audit.export")}</Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component="a" href={address("csv")} download>
          {t("audit.exportCsv")}
        </Menu.Item>
        <Menu.Item component="a" href={address("json")} download>
          {t("audit.exportJson")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
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
