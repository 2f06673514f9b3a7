/** `?`: the keys that work here and now. */
import { Group, Kbd, Modal, SimpleGrid, Stack, Text } from "@mantine/core";
import { useEffect, useState } from "react";

import { useBoundKeys, useKeys, type KeyBinding } from "../keys";
import { useWords } from "../words";

const SHOWN: Record<string, string> = { " ": "Space", arrowleft: "←", arrowright: "→", escape: "Esc", enter: "Enter" };

const shown = (key: string): string[] =>
  SHOWN[key] ? [SHOWN[key]] : key.split(" ").map((part) => part.toUpperCase());

export function KeysHelp() {
  const { t } = useWords();
  const boundKeys = useBoundKeys();
  const [bindings, setBindings] = useState<KeyBinding[] | null>(null);
  const open = () => setBindings(boundKeys());
  useKeys([{ key: "?", label: t("keys.help"), run: open, everywhere: true }]);
  useEffect(() => {
    const onAsk = () => setBindings(boundKeys());
    window.addEventListener("belay-keys", onAsk);
    return () => window.removeEventListener("belay-keys", onAsk);
  }, [boundKeys]);
  const palette: KeyBinding = { key: "ctrl k", label: t("keys.palette"), run: () => undefined, everywhere: true };
  const all = bindings ? [...bindings, palette] : [];
  return (
    <Modal opened={bindings !== null} onClose={() => setBindings(null)} title={t("keys.title")} size="lg" closeButtonProps={{ "aria-label": t("do.close") }}>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <Keys title={t("keys.page")} bindings={all.filter(({ everywhere }) => !everywhere)} />
        <Keys title={t("keys.everywhere")} bindings={all.filter(({ everywhere }) => everywhere)} />
      </SimpleGrid>
      <Text fz="xs" c="dimmed" mt="sm">
        {t("keys.hint")}
      </Text>
    </Modal>
  );
}

function Keys({ title, bindings }: { title: string; bindings: KeyBinding[] }) {
  if (bindings.length === 0) return null;
  return (
    <Stack gap={5}>
      <Text fz="sm" fw={600}>
        {title}
      </Text>
      {bindings.map((binding, at) => (
        <Group key={at} gap="xs" wrap="nowrap" align="flex-start" opacity={binding.off ? 0.5 : 1}>
          <Group gap={3} wrap="nowrap" miw={62}>
            {shown(binding.key).map((part) => (
              <Kbd key={part}>{part}</Kbd>
            ))}
          </Group>
          <Text fz="sm" lineClamp={2}>
            {binding.label}
          </Text>
        </Group>
      ))}
    </Stack>
  );
}
