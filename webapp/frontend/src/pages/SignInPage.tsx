/** Sign in. */
import { Alert, Button, Center, Group, Paper, PasswordInput, Stack, Text, TextInput, Title } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { api } from "../api/client";
import type { Me } from "../api/types";
import { sentence, useVerb } from "../api/verbs";
import { useWords } from "../words";

export function SignInPage() {
  const words = useWords();
  const { t, lang, setLang } = words;
  const client = useQueryClient();
  const [username, setUsername] = useState("");
  const [password, setPassword] = useState("");
  const signIn = useVerb((given: { username: string; password: string }) => api.post<Me>("/auth/sign-in", given), {
    done: (me) => client.setQueryData(["me"], me),
    refused: () => true,
  });
  return (
    <Center mih="100dvh" p="md" component="main">
      <title>{`${t("signIn.title")} · Belay`}</title>
      <Stack gap="sm" w={340}>
        <Group gap="xs">
          <img src="/static/mark.svg" alt="" width={30} height={30} />
          <div>
            <Title order={1}>{t("app.name")}</Title>
            <Text fz="xs" c="dimmed">
              {t("app.tagline")}
            </Text>
          </div>
        </Group>
        <Paper p="md">
          <form
            onSubmit={(event) => {
              event.preventDefault();
              signIn.mutate({ username, password });
            }}
          >
            <Stack gap="sm">
              {signIn.isError && (
                <Alert color="red" role="alert">
                  {sentence(signIn.error, words)}
                </Alert>
              )}
              <TextInput label={t("signIn.user")} autoComplete="username" required value={username} onChange={(event) => setUsername(event.currentTarget.value)} />
              <PasswordInput label={t("signIn.password")} autoComplete="current-password" required value={password} onChange={(event) => setPassword(event.currentTarget.value)} />
              <Button type="submit" size="sm" loading={signIn.isPending}>
                {t("signIn.title")}
              </Button>
            </Stack>
          </form>
        </Paper>
        <Text fz="xs" c="dimmed">
          {t("signIn.hint")}
        </Text>
        <Button variant="subtle" size="compact-xs" onClick={() => setLang(lang === "en" ? "zh" : "en")}>
          {lang === "en" ? "中文" : "English"}
        </Button>
      </Stack>
    </Center>
  );
}
