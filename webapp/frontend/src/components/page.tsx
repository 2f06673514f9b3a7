/** The frame of every page: its name, its verbs, and what shows while there is nothing yet. */
import { Alert, Anchor, Box, Button, Center, Group, Loader, Stack, Text, Title } from "@mantine/core";
import { IconAlertCircle } from "../icons";
import type { UseQueryResult } from "@tanstack/react-query";
import { useEffect, type ReactNode } from "react";
import { Link } from "react-router";

import { Problem } from "../api/client";
import { sentence } from "../api/verbs";
import { useWords } from "../words";
import { Said } from "./Said";

interface PageProps {
  title: string;
  actions?: ReactNode;
  beside?: ReactNode;
  children: ReactNode;
  /** Fill the window and scroll inside. */
  full?: boolean;
}

export function Page({ title, actions, beside, children, full = false }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Belay`;
  }, [title]);
  return (
    <Stack gap="sm" className={full ? "page page-full" : "page"}>
      <Group justify="space-between" gap="sm" wrap="wrap" mih={28} className="page-head">
        <Group gap="sm" className="page-title">
          <Title order={1}>{title}</Title>
          {beside}
        </Group>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  );
}

export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <Center py={56}>
      <Stack align="center" gap="xs" maw={460}>
        <Text fw={600}>{title}</Text>
        {children && (
          <Box c="dimmed" ta="center" fz="sm">
            {children}
          </Box>
        )}
      </Stack>
    </Center>
  );
}

/** Children once there is data; a quiet loader before; a sentence and a way on where it failed. */
export function Loaded<T>({ query, children }: { query: UseQueryResult<T>; children: (data: T) => ReactNode }) {
  const words = useWords();
  if (query.data !== undefined) return <>{children(query.data)}</>;
  if (query.isError) {
    const missing = query.error instanceof Problem && query.error.status === 404;
    return (
      <Alert
        color="red"
        icon={<IconAlertCircle size={16} aria-hidden />}
        title={words.t(missing ? "problem.notFound" : "problem.load")}
        maw={640}
      >
        <Stack gap="xs" align="flex-start">
          <Text fz="sm">{sentence(query.error, words)}</Text>
          <Button variant="default" onClick={() => void query.refetch()}>
            {words.t("do.retry")}
          </Button>
        </Stack>
      </Alert>
    );
  }
  return (
    <Center py={56}>
      <Loader size="sm" aria-label={words.t("word.loading")} />
    </Center>
  );
}

/** A link inside the application. */
export function To({ to, children, label }: { to: string; children: ReactNode; label?: string }) {
  return (
    <Anchor component={Link} to={to} fz="inherit" aria-label={label}>
      {children}
    </Anchor>
  );
}

/** Name and value, one under the other. */
export function Facts({ facts }: { facts: [string, ReactNode][] }) {
  return (
    <dl className="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>
            <Said>{name}</Said>
          </dt>
          <dd>{typeof value === "string" ? <Said>{value}</Said> : value}</dd>
        </div>
      ))}
    </dl>
  );
}
