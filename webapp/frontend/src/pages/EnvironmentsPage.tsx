/** `/environments`: the consoles, what may go on in them without asking, and the kinds of work known for them. */
import { Badge, Button, Group, NumberInput, Paper, Select, Stack, Text, Title } from "@mantine/core";
import { useState } from "react";

import { api } from "../api/client";
import type { ApprovalPolicy, EnvironmentView } from "../api/types";
import { useIsAtLeast, useVerb } from "../api/verbs";
import { RiskBadge } from "../components/badges";
import { useFinding } from "../components/finding";
import { Listing } from "../components/listing";
import { Empty, Loaded, Page, To } from "../components/page";
import { useEnvironments } from "../components/tickets";
import { useWords } from "../words";

const SCREENFUL = 12;
const UP_TO = ["nothing", "read", "reversible", "cost"] as const;

export default function EnvironmentsPage() {
  const { t } = useWords();
  const query = useEnvironments();
  return (
    <Page title={t("nav.environments")}>
      <Loaded query={query}>
        {(environments) => (
          <Stack gap="lg">
            {environments.map((environment) => (
              <One key={environment.id} environment={environment} />
            ))}
            {environments.length === 0 && <Empty title={t("new.empty")} />}
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}

function One({ environment }: { environment: EnvironmentView }) {
  const { t } = useWords();
  return (
    <Stack gap="xs" component="section" aria-label={environment.title}>
      <Group gap="xs">
        <Title order={2}>{environment.title}</Title>
        <Badge color={environment.real ? "rope" : "gray"}>{t(environment.real ? "word.real" : "word.simulated")}</Badge>
        {environment.protected && <Badge color="red">{t("word.protected")}</Badge>}
      </Group>
      <Text fz="sm" c="dimmed">
        {environment.summary}
      </Text>
      <PolicyForm key={environment.approval_policy.version} environment={environment.id} policy={environment.approval_policy} />
      <Templates environment={environment} />
    </Stack>
  );
}

function Templates({ environment }: { environment: EnvironmentView }) {
  const { t } = useWords();
  const finding = useFinding(environment.templates, ({ id, title, summary }) => `${title} ${summary} ${id}`, { label: t("new.find"), most: SCREENFUL });
  return (
    <Stack gap="xs">
      {finding.field}
      <Listing
        label={t("environments.templates")}
        rows={finding.shown}
        keyOf={(template) => template.id}
        empty={<Empty title={t("new.noWork")} />}
        columns={[
          {
            name: t("word.template"),
            cell: (template) => (
              <>
                {template.title}
                <Text fz="xs" c="dimmed">
                  {template.summary}
                </Text>
              </>
            ),
          },
          { name: t("new.riskUpTo"), cell: (template) => <RiskBadge risk={template.risk} /> },
          { name: t("ticket.parameters"), cell: (template) => template.parameters.map(({ title }) => title).join(", ") || "—" },
          {
            name: "",
            right: true,
            cell: (template) => (
              <To to={`/tickets/new?environment=${environment.id}&template=${encodeURIComponent(template.id)}`} label={`${t("environments.file")}: ${template.title}`}>
                <span style={{ whiteSpace: "nowrap" }}>{t("environments.file")}</span>
              </To>
            ),
          },
        ]}
      />
      <div>{finding.more}</div>
    </Stack>
  );
}

function PolicyForm({ environment, policy }: { environment: string; policy: ApprovalPolicy }) {
  const { t } = useWords();
  const isAdmin = useIsAtLeast("admin");
  const [upTo, setUpTo] = useState<string>(policy.auto_approve_up_to);
  const [minutes, setMinutes] = useState<string | number>(Math.round(policy.approval_timeout_s / 60));
  const save = useVerb(
    () =>
      api.put(`/environments/${environment}/approval-policy`, {
        auto_approve_up_to: upTo,
        approval_timeout_s: Number(minutes) * 60,
        version: policy.version,
      }),
    { touches: ["environments"] },
  );
  const isSame = upTo === policy.auto_approve_up_to && Number(minutes) * 60 === policy.approval_timeout_s;
  return (
    <Paper component="form" aria-label={t("environments.policy")} onSubmit={(event: React.FormEvent) => {
      event.preventDefault();
      save.mutate(undefined);
    }}>
      <Group align="flex-end" gap="md">
        <Select
          label={t("environments.upTo")}
          description={t("environments.upToHint")}
          data={UP_TO.map((value) => ({ value, label: t(`risk.${value}`) }))}
          value={upTo}
          onChange={(value) => setUpTo(value ?? "nothing")}
          allowDeselect={false}
          disabled={!isAdmin}
          w={300}
        />
        <NumberInput label={t("environments.timeout")} min={1} value={minutes} onChange={setMinutes} disabled={!isAdmin} allowDecimal={false} w={230} />
        {isAdmin && (
          <Button type="submit" disabled={isSame} loading={save.isPending}>
            {t("do.save")}
          </Button>
        )}
      </Group>
    </Paper>
  );
}
