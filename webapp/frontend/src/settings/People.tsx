/** Who can sign in, and as what. */
import { Button, Group, Modal, PasswordInput, Select, Stack, Switch, TextInput } from "@mantine/core";
import { IconPlus } from "../icons";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { api, Problem } from "../api/client";
import type { Person, Role } from "../api/types";
import { useMe, useVerb } from "../api/verbs";
import { Listing } from "../components/listing";
import { Loaded } from "../components/page";
import { Ago } from "../components/time";
import { useWords } from "../words";

const ROLES: Role[] = ["operator", "reviewer", "admin"];

type Change = { id: number; role?: Role; is_active?: boolean; password?: string };

export function People() {
  const { t, word } = useWords();
  const me = useMe();
  const query = useQuery({ queryKey: ["people"], queryFn: () => api.get<Person[]>("/people") });
  const change = useVerb(({ id, ...rest }: Change) => api.patch(`/people/${id}`, rest), { touches: ["people"] });
  const [isAdding, setAdding] = useState(false);
  const [passwordOf, setPasswordOf] = useState<Person | null>(null);
  const roles = ROLES.map((value) => ({ value, label: word("role", value) }));
  return (
    <Stack gap="xs">
      <Group justify="flex-end">
        <Button leftSection={<IconPlus size={14} />} onClick={() => setAdding(true)}>
          {t("settings.addPerson")}
        </Button>
      </Group>
      <Loaded query={query}>
        {(people) => (
          <Listing
            label={t("settings.people")}
            rows={people}
            keyOf={(person) => person.id}
            empty={null}
            columns={[
              { name: t("word.name"), cell: (person) => person.username },
              {
                name: t("settings.role"),
                cell: (person) => (
                  <Select
                    aria-label={`${t("settings.role")}: ${person.username}`}
                    data={roles}
                    value={person.role}
                    allowDeselect={false}
                    disabled={person.id === me.data?.id || change.isPending}
                    onChange={(role) => change.mutate({ id: person.id, role: role as Role })}
                    w={140}
                  />
                ),
              },
              {
                name: t("settings.active"),
                cell: (person) => (
                  <Switch
                    aria-label={`${t("settings.active")}: ${person.username}`}
                    checked={person.is_active}
                    disabled={person.id === me.data?.id || change.isPending}
                    onChange={(event) => change.mutate({ id: person.id, is_active: event.currentTarget.checked })}
                  />
                ),
              },
              { name: t("settings.lastSeen"), cell: (person) => <Ago at={person.last_login ?? null} /> },
              {
                name: "",
                right: true,
                cell: (person) => (
                  <Button variant="subtle" size="compact-xs" onClick={() => setPasswordOf(person)} aria-label={`${t("settings.setPassword")}: ${person.username}`}>
                    {t("settings.setPassword")}
                  </Button>
                ),
              },
            ]}
          />
        )}
      </Loaded>
      <Modal opened={isAdding} onClose={() => setAdding(false)} title={t("settings.addPerson")}>
        <NewPerson roles={roles} done={() => setAdding(false)} />
      </Modal>
      <Modal opened={passwordOf !== null} onClose={() => setPasswordOf(null)} title={`${t("settings.setPassword")}: ${passwordOf?.username ?? ""}`}>
        {passwordOf && <NewPassword id={passwordOf.id} done={() => setPasswordOf(null)} />}
      </Modal>
    </Stack>
  );
}

const errorsOf = (problem: unknown): Record<string, string> => (problem instanceof Problem ? (problem.body.errors ?? {}) : {});

function NewPerson({ roles, done }: { roles: { value: string; label: string }[]; done: () => void }) {
  const { t } = useWords();
  const [given, setGiven] = useState({ username: "", role: "operator", password: "" });
  const add = useVerb(() => api.post("/people", given), {
    touches: ["people"],
    done,
    refused: (problem) => Object.keys(errorsOf(problem)).length > 0,
  });
  const errors = errorsOf(add.error);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        add.mutate(undefined);
      }}
    >
      <Stack gap="sm">
        <TextInput data-autofocus required label={t("signIn.user")} autoComplete="off" value={given.username} error={errors.username} onChange={(event) => setGiven({ ...given, username: event.currentTarget.value })} />
        <Select label={t("settings.role")} data={roles} value={given.role} allowDeselect={false} onChange={(role) => setGiven({ ...given, role: role ?? "operator" })} />
        <PasswordInput required label={t("settings.password")} autoComplete="new-password" value={given.password} error={errors.password} onChange={(event) => setGiven({ ...given, password: event.currentTarget.value })} />
        <Button type="submit" loading={add.isPending} style={{ alignSelf: "flex-end" }}>
          {t("settings.addPerson")}
        </Button>
      </Stack>
    </form>
  );
}

function NewPassword({ id, done }: { id: number; done: () => void }) {
  const { t } = useWords();
  const [password, setPassword] = useState("");
  const change = useVerb(() => api.patch(`/people/${id}`, { password }), {
    touches: ["people"],
    done,
    refused: (problem) => Object.keys(errorsOf(problem)).length > 0,
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        change.mutate(undefined);
      }}
    >
      <Stack gap="sm">
        <PasswordInput data-autofocus required label={t("settings.newPassword")} autoComplete="new-password" value={password} error={errorsOf(change.error).password} onChange={(event) => setPassword(event.currentTarget.value)} />
        <Button type="submit" loading={change.isPending} style={{ alignSelf: "flex-end" }}>
          {t("settings.setPassword")}
        </Button>
      </Stack>
    </form>
  );
}
