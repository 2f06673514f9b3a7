/** `?`: the keys that work here and now; each letter can be changed. */
import { Button, Group, Kbd, Modal, SimpleGrid, Stack, Text, Tooltip, UnstyledButton } from "@mantine/core";
import { useEffect, useState } from "react";

import { isChangeable } from "../keymap";
import { useBoundKeys, useKeymap, useKeys, type KeyBinding } from "../keys";
import { useWords } from "../words";
import { shownKeys } from "./KeyHint";

export function KeysHelp() {
  const { t } = useWords();
  const boundKeys = useBoundKeys();
  const keymap = useKeymap();
  const [bindings, setBindings] = useState<KeyBinding[] | null>(null);
  const [changing, setChanging] = useState<string | null>(null);
  useKeys([{ key: "?", label: t("keys.help"), run: () => setBindings(boundKeys()), everywhere: true }]);
  useEffect(() => {
    const onAsk = () => setBindings(boundKeys());
    window.addEventListener("belay-keys", onAsk);
    return () => window.removeEventListener("belay-keys", onAsk);
  }, [boundKeys]);
  useNextKey(changing !== null, (pressed) => {
    if (changing !== null && isChangeable(pressed)) keymap.change(changing, pressed);
    setChanging(null);
  });
  const palette: KeyBinding = { key: "ctrl k", label: t("keys.palette"), run: () => undefined, everywhere: true };
  const all = bindings ? [...bindings, palette] : [];
  const close = () => {
    setChanging(null);
    setBindings(null);
  };
  return (
    <Modal
      opened={bindings !== null}
      onClose={close}
      closeOnEscape={changing === null}
      title={t("keys.title")}
      size="lg"
      closeButtonProps={{ "aria-label": t("do.close") }}
    >
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <Keys title={t("keys.page")} bindings={all.filter(({ everywhere }) => !everywhere)} changing={changing} onChange={setChanging} />
        <Keys title={t("keys.everywhere")} bindings={all.filter(({ everywhere }) => everywhere)} changing={changing} onChange={setChanging} />
      </SimpleGrid>
      <Group justify="space-between" mt="sm" mih={26}>
        <Text fz="xs" c="dimmed" role="status">
          {changing === null ? t("keys.hint") : t("keys.press")}
        </Text>
        {!keymap.isUsual && (
          <Button variant="default" size="compact-xs" onClick={keymap.reset}>
            {t("keys.reset")}
          </Button>
        )}
      </Group>
    </Modal>
  );
}

/** Hands the next key to press to a function instead of to the page. */
function useNextKey(isWanted: boolean, take: (pressed: string) => void): void {
  useEffect(() => {
    if (!isWanted) return undefined;
    function onKey(event: KeyboardEvent): void {
      if (["Shift", "Control", "Alt", "Meta"].includes(event.key)) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      take(event.key.toLowerCase());
    }
    window.addEventListener("keydown", onKey, { capture: true });
    return () => window.removeEventListener("keydown", onKey, { capture: true });
  });
}

interface KeysProps {
  title: string;
  bindings: KeyBinding[];
  changing: string | null;
  onChange: (key: string | null) => void;
}

function Keys({ title, bindings, changing, onChange }: KeysProps) {
  if (bindings.length === 0) return null;
  return (
    <Stack gap={5}>
      <Text fz="sm" fw={600}>
        {title}
      </Text>
      {bindings.map((binding, at) => (
        <Group key={at} gap="xs" wrap="nowrap" align="flex-start" opacity={binding.off ? 0.6 : 1}>
          <Group gap={3} wrap="nowrap" miw={62}>
            <Key binding={binding} isChanging={binding.key === changing} onChange={onChange} />
          </Group>
          <Text fz="sm" lineClamp={2}>
            {binding.label}
          </Text>
        </Group>
      ))}
    </Stack>
  );
}

function Key({ binding, isChanging, onChange }: { binding: KeyBinding; isChanging: boolean; onChange: (key: string | null) => void }) {
  const { t } = useWords();
  const { pressed } = useKeymap();
  const shown = shownKeys(pressed(binding.key));
  if (!isChangeable(binding.key)) return shown.map((part) => <Kbd key={part}>{part}</Kbd>);
  return (
    <Tooltip label={t("keys.change")}>
      <UnstyledButton aria-label={t("keys.changeOf", { key: shown.join(" "), what: binding.label })} onClick={() => onChange(isChanging ? null : binding.key)}>
        <Kbd data-changing={isChanging}>{isChanging ? "…" : shown.join(" ")}</Kbd>
      </UnstyledButton>
    </Tooltip>
  );
}
