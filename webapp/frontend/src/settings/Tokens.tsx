/** One's own API tokens; a token's text is shown once. */
import { Alert, Badge, Button, Code, CopyButton, Group, Modal, MultiSelect, NumberInput, Stack, TextInput } from "@mantine/core";
import { IconPlus } from "../icons";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { api } from "../api/client";
import type { CreatedToken, Token } from "../api/types";
import { useVerb } from "../api/verbs";
import { useAsk } from "../components/ask";
import { Mono } from "../components/badges";
import { Listing } from "../components/listing";
import { Empty, Loaded } from "../components/page";
import { Ago } from "../components/time";
import { useWords } from "../words";

const SCOPES = ["read", "tickets", "decide", "admin"];

export function Tokens() {
  const { t } = useWords();
  const ask = useAsk();
  const query = useQuery({ queryKey: ["tokens"], queryFn: () => api.get<Token[]>("/tokens") });
  const revoke = useVerb((token: Token) => api.delete(`/tokens/${token.id}`), { touches: ["tokens"] });
  const [isAdding, setAdding] = useState(false);
  async function confirm(token: Token): Promise<void> {
    const answer = await ask({
      title: t("settings.tokenRevokeTitle", { name: token.name }),
      body: t("settings.tokenRevokeBody"),
      verb: t("settings.tokenRevoke"),
      danger: true,
    });
    if (answer) revoke.mutate(token);
  }
  return (
    <Stack gap="xs">
      <Group justify="flex-end">
        <Button leftSection={<IconPlus size={14} />} onClick={() => setAdding(true)}>
          {t("settings.tokenNew")}
        </Button>
      </Group>
      <Loaded query={query}>
        {(tokens) => (
          <Listing
            label={t("settings.tokens")}
            rows={tokens}
            keyOf={(token) => token.id}
            empty={<Empty title={t("settings.tokenNone")}>{t("settings.tokenNoneBody")}</Empty>}
            columns={[
              { name: t("word.name"), cell: (token) => token.name },
              { name: t("word.id"), cell: (token) => <Mono>{token.prefix}…</Mono> },
              {
                name: t("settings.tokenScopes"),
                cell: (token) => (
                  <Group gap={4}>
                    {token.scopes.map((scope) => (
                      <Badge key={scope} color="gray">
                        {scope}
                      </Badge>
                    ))}
                  </Group>
                ),
              },
              { name: t("word.created"), cell: (token) => <Ago at={token.created_at} /> },
              { name: t("settings.lastUsed"), cell: (token) => <Ago at={token.last_used_at} /> },
              { name: t("settings.expires"), cell: (token) => <Ago at={token.expires_at} /> },
              {
                name: "",
                right: true,
                cell: (token) => (
                  <Button variant="subtle" color="red" size="compact-xs" onClick={() => void confirm(token)} aria-label={`${t("settings.tokenRevoke")}: ${token.name}`}>
                    {t("settings.tokenRevoke")}
                  </Button>
                ),
              },
            ]}
          />
        )}
      </Loaded>
      <Modal opened={isAdding} onClose={() => setAdding(false)} title={t("settings.tokenNew")}>
        <NewToken />
      </Modal>
    </Stack>
  );
}

function NewToken() {
  const { t } = useWords();
  const [name, setName] = useState("");
  const [scopes, setScopes] = useState<string[]>(["read", "tickets"]);
  const [days, setDays] = useState<string | number>(30);
  const create = useVerb(() => api.post<CreatedToken>("/tokens", { name, scopes, days: Number(days) }), { touches: ["tokens"] });
  if (create.data?.token) {
    return (
      <Stack gap="sm">
        <Alert color="yellow">{t("settings.tokenOnce")}</Alert>
        <Code block>{create.data.token}</Code>
        <CopyButton value={create.data.token}>
          {({ copied, copy }) => (
            <Button onClick={copy} variant="default">
              {t(copied ? "settings.copied" : "settings.copy")}
            </Button>
          )}
        </CopyButton>
      </Stack>
    );
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        create.mutate(undefined);
      }}
    >
      <Stack gap="sm">
        <TextInput data-autofocus required label={t("word.name")} value={name} maxLength={80} onChange={(event) => setName(event.currentTarget.value)} />
        <MultiSelect label={t("settings.tokenScopes")} data={SCOPES} value={scopes} onChange={setScopes} />
        <NumberInput label={t("settings.tokenDays")} min={1} max={365} value={days} onChange={setDays} allowDecimal={false} />
        <Button type="submit" loading={create.isPending} disabled={scopes.length === 0} style={{ alignSelf: "flex-end" }}>
          {t("do.create")}
        </Button>
      </Stack>
    </form>
  );
}
