/** `/tickets/new`: pick a console and a kind of work, fill its blanks, or say it in your own words. */
import { Badge, Button, Group, NumberInput, Paper, Select, SimpleGrid, Stack, Text, Textarea, TextInput, Title, UnstyledButton } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { useNavigate, useSearchParams } from "react-router";

import { api, Problem } from "../api/client";
import type { Parameter, Template } from "../api/contracts";
import type { EnvironmentView, Ticket } from "../api/types";
import { useVerb } from "../api/verbs";
import { RiskBadge } from "../components/badges";
import { useFinding } from "../components/finding";
import { Empty, Loaded, Page } from "../components/page";
import { useEnvironments } from "../components/tickets";
import { useWords } from "../words";

const FREE = "free";
const SCREENFUL = 17; // cards; with the one for words of one's own that is six rows of three

export default function NewTicketPage() {
  const { t } = useWords();
  const query = useEnvironments();
  return (
    <Page title={t("tickets.new")}>
      <Loaded query={query}>
        {(environments) =>
          environments.length > 0 ? <Steps environments={environments} /> : <Empty title={t("new.empty")} />
        }
      </Loaded>
    </Page>
  );
}

function Steps({ environments }: { environments: EnvironmentView[] }) {
  const { t } = useWords();
  const [params, setParams] = useSearchParams();
  const [only] = environments;
  const environment = environments.find(({ id }) => id === params.get("environment")) ?? (environments.length === 1 ? only : undefined);
  const chosen = params.get("template") ?? "";
  const template = environment?.templates.find(({ id }) => id === chosen);
  return (
    <Stack gap="md" maw={1180}>
      <section aria-labelledby="pick-environment">
        <Title order={2} mb={6} id="pick-environment">
          {t("new.environment")}
        </Title>
        <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="xs">
          {environments.map((each) => (
            <Card
              key={each.id}
              isChosen={each.id === environment?.id}
              title={each.title}
              summary={each.summary}
              onChoose={() => setParams({ environment: each.id }, { replace: true })}
              badge={<Badge color={each.real ? "rope" : "gray"}>{t(each.real ? "word.real" : "word.simulated")}</Badge>}
            />
          ))}
        </SimpleGrid>
      </section>
      {environment && (
        <Work
          key={environment.id}
          templates={environment.templates}
          chosen={chosen}
          onChoose={(id) => setParams({ environment: environment.id, ...(id ? { template: id } : {}) }, { replace: true })}
        />
      )}
      {environment && (template ?? chosen === FREE) && (
        <Details key={`${environment.id} ${chosen}`} environment={environment} template={template} />
      )}
    </Stack>
  );
}

interface WorkProps {
  templates: Template[];
  chosen: string;
  onChoose: (id: string) => void;
}

/** The kinds of work; where there are many, only the chosen one stays in sight. */
function Work({ templates, chosen, onChoose }: WorkProps) {
  const { t } = useWords();
  const finding = useFinding(templates, ({ id, title, summary }) => `${title} ${summary} ${id}`, { label: t("new.find"), most: SCREENFUL });
  const template = templates.find(({ id }) => id === chosen);
  const isLong = templates.length > SCREENFUL;
  const isFolded = isLong && (template !== undefined || chosen === FREE);
  const shown = isFolded ? templates.filter(({ id }) => id === chosen) : finding.shown;
  return (
    <section aria-labelledby="pick-work">
      <Group gap="sm" mb={6} mih={30}>
        <Title order={2} id="pick-work">
          {t("new.work")}
        </Title>
        {isFolded ? (
          <Button variant="default" size="compact-sm" onClick={() => onChoose("")}>
            {t("new.another")}
          </Button>
        ) : (
          finding.field
        )}
      </Group>
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="xs">
        {shown.map((each) => (
          <Card
            key={each.id}
            isChosen={each.id === chosen}
            title={each.title}
            summary={each.summary}
            onChoose={() => onChoose(each.id)}
            badge={<RiskBadge risk={each.risk} />}
            note={<Learnt template={each} />}
          />
        ))}
        {(!isFolded || chosen === FREE) && (
          <Card isChosen={chosen === FREE} title={t("new.freeTitle")} summary={t("new.freeSummary")} onChoose={() => onChoose(FREE)} />
        )}
      </SimpleGrid>
      {!isFolded && shown.length === 0 && (
        <Text fz="sm" c="dimmed" mt={6}>
          {t("new.noWork")}
        </Text>
      )}
      {!isFolded && finding.more}
    </section>
  );
}

interface CardProps {
  title: string;
  summary: string;
  isChosen: boolean;
  onChoose: () => void;
  badge?: React.ReactNode;
  note?: React.ReactNode;
}

/** Whether the policy that serves has learnt this kind of work, and from how much. */
function Learnt({ template }: { template: Template }) {
  const { t } = useWords();
  const { demonstrations: n } = template;
  if (n === null) return null;
  return (
    <Text fz="xs" mt={6} {...(n > 0 ? { c: "dimmed" } : { className: "mind" })}>
      {n > 0 ? t("new.learnt", { n }) : t("new.notLearnt")}
    </Text>
  );
}

function Card({ title, summary, isChosen, onChoose, badge, note }: CardProps) {
  return (
    <UnstyledButton aria-pressed={isChosen} onClick={onChoose} className="panel card-queue card-top" data-active={isChosen} p={10}>
      <Group justify="space-between" gap={4} wrap="nowrap" align="flex-start">
        <Text fz="sm" fw={600}>
          {title}
        </Text>
        {badge}
      </Group>
      <Text fz="xs" c="dimmed" mt={2}>
        {summary}
      </Text>
      {note}
    </UnstyledButton>
  );
}

function Details({ environment, template }: { environment: EnvironmentView; template: Template | undefined }) {
  const { t, word } = useWords();
  const navigate = useNavigate();
  const [values, setValues] = useState<Record<string, string>>({});
  const [text, setText] = useState("");
  const [title, setTitle] = useState("");
  const [priority, setPriority] = useState("3");
  const [errors, setErrors] = useState<Record<string, string>>({});
  const [key] = useState(() => Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(16)).join("-"));
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    form.current?.querySelector("input, textarea")?.scrollIntoView({ block: "nearest" });
  }, []);

  const file = useVerb(
    () =>
      api.post<Ticket>(
        "/tickets",
        {
          environment: environment.id,
          template: template?.id ?? "",
          parameters: template ? typed(template, values) : {},
          text,
          title,
          priority: Number(priority),
        },
        { "Idempotency-Key": key },
      ),
    {
      touches: ["tickets", "home"],
      done: (ticket) => void navigate(ticket.session ? `/sessions/${ticket.session.id}` : `/tickets/${ticket.id}`),
      refused: (problem) => {
        const found = problem instanceof Problem ? problem.body.errors : undefined;
        setErrors(Object.fromEntries(Object.entries(found ?? {}).map(([name, why]) => [name.replace(/^parameters\./, ""), why])));
        return found !== undefined && Object.keys(found).length > 0;
      },
    },
  );

  return (
    <Paper component="section" aria-labelledby="fill-details">
      <form
        ref={form}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          setErrors({});
          file.mutate(undefined);
        }}
      >
        <Stack gap="sm" maw={560}>
          <Title order={2} id="fill-details">
            {t("new.details")}
          </Title>
          {template ? (
            template.parameters.map((parameter) => (
              <Field
                key={parameter.name}
                parameter={parameter}
                value={values[parameter.name] ?? ""}
                error={errors[parameter.name]}
                onChange={(value) => setValues({ ...values, [parameter.name]: value })}
              />
            ))
          ) : (
            <Textarea label={t("new.text")} autosize minRows={3} required value={text} error={errors.text} onChange={(event) => setText(event.currentTarget.value)} />
          )}
          <TextInput label={t("new.ticketTitle")} value={title} error={errors.title} maxLength={200} onChange={(event) => setTitle(event.currentTarget.value)} />
          <Select
            label={t("word.priority")}
            data={["1", "2", "3", "4"].map((value) => ({ value, label: word("priority", value) }))}
            value={priority}
            allowDeselect={false}
            onChange={(value) => setPriority(value ?? "3")}
            w={180}
          />
          <Group>
            <Button type="submit" loading={file.isPending}>
              {t("new.file")}
            </Button>
          </Group>
        </Stack>
      </form>
    </Paper>
  );
}

/** Numbers go as numbers; what is no number goes as it is, for the server to refuse by name. */
function typed(template: Template, values: Record<string, string>): Record<string, string | number> {
  return Object.fromEntries(
    template.parameters.map(({ name, kind }) => {
      const value = values[name] ?? "";
      return [name, kind === "integer" && /^-?\d+$/.test(value) ? Number(value) : value];
    }),
  );
}

interface FieldProps {
  parameter: Parameter;
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
}

function Field({ parameter, value, error, onChange }: FieldProps) {
  const { t } = useWords();
  const description = [parameter.help, parameter.pattern_help].filter(Boolean).join(" ");
  const shared = {
    label: parameter.title,
    description: description || undefined,
    error,
    withAsterisk: true,
    placeholder: parameter.example ? t("new.example", { example: parameter.example }) : undefined,
  };
  switch (parameter.kind) {
    case "choice":
      return <Select {...shared} data={parameter.choices} value={value || null} onChange={(next) => onChange(next ?? "")} />;
    case "integer":
      return (
        <NumberInput
          {...shared}
          value={value}
          onChange={(next) => onChange(String(next))}
          allowDecimal={false}
          suffix={parameter.unit ? ` ${parameter.unit}` : undefined}
        />
      );
    case "text":
      return <TextInput {...shared} value={value} maxLength={parameter.max_length} onChange={(event) => onChange(event.currentTarget.value)} />;
    default:
      return parameter.kind satisfies never;
  }
}
