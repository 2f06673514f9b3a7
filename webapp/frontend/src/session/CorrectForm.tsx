/** Puts another action together; what will be done is spelled out before Enter does it. */
import { Alert, Badge, Box, Button, Group, Kbd, ScrollArea, Select, Stack, Text, TextInput, UnstyledButton } from "@mantine/core";
import { useEffect, useRef, useState } from "react";

import { ACTION_KINDS, KEYS, type ActionKind, type Goal, type Key, type PageElement } from "../api/contracts";
import { Said } from "../components/Said";
import { useKeys } from "../keys";
import { apart } from "../visible";
import { useWords } from "../words";
import { elementText, finder, NEEDS_ELEMENT, objectText, verbText, type Find } from "./actions";
import type { Desk } from "./useDesk";

interface CorrectFormProps {
  desk: Desk;
  elements: PageElement[];
  goal: Goal;
  find: Find;
}

export function CorrectForm({ desk, elements, goal, find }: CorrectFormProps) {
  const words = useWords();
  const { t } = words;
  const { draft } = desk;
  // Where the focus is in no field: an element was just picked on the picture.
  useKeys([
    { key: "escape", label: t("do.back"), run: desk.back, first: true },
    { key: "enter", label: t("correct.confirm"), run: desk.sendCorrection, off: !desk.action || desk.isSending, first: true },
  ]);
  const kinds = ACTION_KINDS.map((kind) => ({ value: kind, label: t(`action.${kind}`) }));
  return (
    // eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- Escape leaves the form from any of its fields
    <form
      aria-label={t("correct.title")}
      onSubmit={(event) => {
        event.preventDefault();
        desk.sendCorrection();
      }}
      onKeyDown={(event) => {
        if (event.key === "Escape" && !event.defaultPrevented) desk.back();
      }}
    >
      <Stack gap="xs">
        <Text fw={600} fz="sm">
          {t("correct.title")}
        </Text>
        <Select
          label={t("correct.kind")}
          data={kinds}
          value={draft.kind}
          allowDeselect={false}
          onChange={(kind) => desk.setDraft({ ...draft, kind: (kind ?? "click") as ActionKind })}
          comboboxProps={{ withinPortal: true }}
        />
        {NEEDS_ELEMENT.has(draft.kind) && <ElementPicker desk={desk} elements={elements} />}
        <Details desk={desk} elements={elements} goal={goal} />
        <Alert color={desk.action ? "rope" : "gray"} title={t("correct.will")} aria-live="polite">
          {desk.action ? (
            <Text className="action" component="p" m={0}>
              <b>{verbText(desk.action, words)}</b> {objectText(desk.action, (ref) => finder(elements)(ref) ?? find(ref), words)}
            </Text>
          ) : (
            t(draft.element === null && NEEDS_ELEMENT.has(draft.kind) ? "correct.lacking" : "correct.lackingMore")
          )}
        </Alert>
        <Group gap="xs" justify="flex-end">
          <Button variant="default" onClick={desk.back} rightSection={<Kbd aria-hidden>Esc</Kbd>}>
            {t("do.back")}
          </Button>
          <Button type="submit" disabled={!desk.action} loading={desk.isSending} rightSection={<Kbd aria-hidden>↵</Kbd>}>
            {t("correct.confirm")}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function matches(element: PageElement, wanted: string): boolean {
  const text = `${element.role} ${element.name} ${element.value} ${element.label} ${element.row} ${element.group}`;
  return text.toLowerCase().includes(wanted.toLowerCase());
}

function ElementPicker({ desk, elements }: { desk: Desk; elements: PageElement[] }) {
  const words = useWords();
  const { t } = words;
  const [wanted, setWanted] = useState("");
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    input.current?.focus({ preventScroll: true });
  }, []);
  const shown = elements.filter((element) => element.actionable && matches(element, wanted));
  return (
    <Box>
      <TextInput
        ref={input}
        label={t("correct.element")}
        description={t("correct.hint")}
        placeholder={t("correct.filter")}
        value={wanted}
        onChange={(event) => setWanted(event.currentTarget.value)}
        onKeyDown={(event) => {
          const [first] = shown;
          if (event.key === "Enter" && wanted && first) {
            event.preventDefault();
            desk.pick(first);
            setWanted("");
          }
        }}
      />
      <ScrollArea.Autosize mah={168} mt={4} className="panel" type="auto">
        <div role="listbox" aria-label={t("correct.element")}>
          {shown.map((element) => (
            <UnstyledButton
              key={element.ref}
              className="choice"
              role="option"
              aria-selected={element.ref === desk.draft.element}
              data-active={element.ref === desk.draft.element}
              onMouseEnter={() => desk.setHot(element.ref)}
              onMouseLeave={() => desk.setHot(null)}
              onFocus={() => desk.setHot(element.ref)}
              onClick={() => desk.pick(element)}
            >
              <Text fz="sm" truncate flex={1}>
                {elementText(element, element.ref, words)}
              </Text>
              <Text fz="xs" c="dimmed" truncate maw={150}>
                <Said>{element.row || element.group || element.region}</Said>
              </Text>
            </UnstyledButton>
          ))}
          {shown.length === 0 && (
            <Text fz="sm" c="dimmed" p="xs">
              {t("correct.noElement")}
            </Text>
          )}
        </div>
      </ScrollArea.Autosize>
    </Box>
  );
}

function Details({ desk, elements, goal }: { desk: Desk; elements: PageElement[]; goal: Goal }) {
  const { t } = useWords();
  const { draft, setDraft } = desk;
  const options = draft.element === null ? [] : (elements.find(({ ref }) => ref === draft.element)?.options ?? []);
  switch (draft.kind) {
    case "type":
      return <TextOf desk={desk} goal={goal} label={t("correct.text")} />;
    case "finish":
      return <TextOf desk={desk} goal={goal} label={t("session.answer")} />;
    case "give_up":
      return <TextOf desk={desk} goal={{ text: "", fields: [] }} label={t("word.reason")} />;
    case "select":
      return (
        <Select
          label={t("correct.option")}
          data={options.map((option) => ({ value: option, label: apart(option) }))}
          value={draft.option || null}
          onChange={(option) => setDraft({ ...draft, option: option ?? "" })}
        />
      );
    case "press":
      return (
        <Select
          label={t("correct.key")}
          data={[...KEYS]}
          value={draft.key}
          allowDeselect={false}
          onChange={(key) => setDraft({ ...draft, key: (key ?? "Enter") as Key })}
        />
      );
    case "scroll":
      return (
        <Select
          label={t("correct.direction")}
          data={[
            { value: "down", label: t("action.down") },
            { value: "up", label: t("action.up") },
          ]}
          value={draft.direction}
          allowDeselect={false}
          onChange={(direction) => setDraft({ ...draft, direction: direction === "up" ? "up" : "down" })}
        />
      );
    case "navigate":
      return (
        <TextInput
          label={t("correct.url")}
          value={draft.url}
          onChange={(event) => setDraft({ ...draft, url: event.currentTarget.value })}
        />
      );
    case "click":
    case "wait":
      return null;
    default:
      return draft.kind satisfies never;
  }
}

function TextOf({ desk, goal, label }: { desk: Desk; goal: Goal; label: string }) {
  const { t } = useWords();
  const { draft, setDraft } = desk;
  return (
    <Box>
      <TextInput label={label} value={draft.text} onChange={(event) => setDraft({ ...draft, text: event.currentTarget.value })} />
      {goal.fields.length > 0 && (
        <Group gap={4} mt={4} role="group" aria-label={t("correct.fields")}>
          <Text fz="xs" c="dimmed">
            {t("correct.fields")}:
          </Text>
          {goal.fields.map(([name, text]) => (
            <Badge
              key={name}
              component="button"
              type="button"
              style={{ cursor: "pointer" }}
              color={draft.text === text ? "rope" : "gray"}
              title={name}
              onClick={() => setDraft({ ...draft, text })}
            >
              <Said>{name}</Said>: <Said>{text}</Said>
            </Badge>
          ))}
        </Group>
      )}
    </Box>
  );
}
