/** The taxonomy of failures; entries are archived, never deleted. */
import { Badge, Button, Group, Modal, NumberInput, Stack, Switch, Textarea, TextInput } from "@mantine/core";
import { IconPlus } from "../icons";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { api, Problem } from "../api/client";
import type { LabelView } from "../api/types";
import { useIsAtLeast, useVerb } from "../api/verbs";
import { Mono } from "../components/badges";
import { Listing } from "../components/listing";
import { Loaded } from "../components/page";
import { useWords } from "../words";

export function Labels() {
  const { t } = useWords();
  const isAdmin = useIsAtLeast("admin");
  const query = useQuery({ queryKey: ["labels"], queryFn: () => api.get<LabelView[]>("/labels") });
  const change = useVerb(({ key, archived }: { key: string; archived: boolean }) => api.patch(`/labels/${key}`, { archived }), {
    touches: ["labels"],
  });
  const [isAdding, setAdding] = useState(false);
  return (
    <Stack gap="xs">
      {isAdmin && (
        <Group justify="flex-end">
          <Button leftSection={<IconPlus size={14} />} onClick={() => setAdding(true)}>
            {t("settings.labelNew")}
          </Button>
        </Group>
      )}
      <Loaded query={query}>
        {(labels) => (
          <Listing
            label={t("settings.taxonomy")}
            rows={labels}
            keyOf={(label) => label.key}
            empty={null}
            columns={[
              { name: t("settings.labelKey"), cell: (label) => <Mono>{label.key}</Mono> },
              { name: t("word.title"), cell: (label) => label.title },
              { name: t("settings.description"), cell: (label) => label.description },
              { name: t("settings.severity"), cell: (label) => <Badge color={label.severity === 1 ? "red" : "gray"}>{label.severity}</Badge> },
              {
                name: t("settings.archived"),
                cell: (label) => (
                  <Switch
                    aria-label={`${t("settings.archived")}: ${label.title}`}
                    checked={label.archived}
                    disabled={!isAdmin || change.isPending}
                    onChange={(event) => change.mutate({ key: label.key, archived: event.currentTarget.checked })}
                  />
                ),
              },
            ]}
          />
        )}
      </Loaded>
      <Modal opened={isAdding} onClose={() => setAdding(false)} title={t("settings.labelNew")}>
        <NewLabel done={() => setAdding(false)} />
      </Modal>
    </Stack>
  );
}

function NewLabel({ done }: { done: () => void }) {
  const { t } = useWords();
  const [given, setGiven] = useState({ key: "", title: "", description: "", severity: 3 });
  const add = useVerb(() => api.post("/labels", given), {
    touches: ["labels"],
    done,
    refused: (problem) => problem instanceof Problem && problem.body.errors !== undefined,
  });
  const errors = add.error instanceof Problem ? (add.error.body.errors ?? {}) : {};
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        add.mutate(undefined);
      }}
    >
      <Stack gap="sm">
        <TextInput data-autofocus required label={t("settings.labelKey")} value={given.key} error={errors.key} onChange={(event) => setGiven({ ...given, key: event.currentTarget.value })} />
        <TextInput required label={t("word.title")} value={given.title} error={errors.title} onChange={(event) => setGiven({ ...given, title: event.currentTarget.value })} />
        <Textarea label={t("settings.description")} value={given.description} onChange={(event) => setGiven({ ...given, description: event.currentTarget.value })} />
        <NumberInput label={t("settings.severity")} description={t("settings.severityHint")} min={1} max={4} value={given.severity} onChange={(value) => setGiven({ ...given, severity: Number(value) })} />
        <Button type="submit" loading={add.isPending} style={{ alignSelf: "flex-end" }}>
          {t("do.create")}
        </Button>
      </Stack>
    </form>
  );
}
