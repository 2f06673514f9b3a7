/** What the page held at one moment, as the policy saw it. */
import { Box, ScrollArea, Table, Text, TextInput } from "@mantine/core";
import { useState } from "react";

import type { PageElement } from "../api/contracts";
import { Said } from "../components/Said";
import { visible } from "../visible";
import { useWords } from "../words";

interface ElementsTableProps {
  elements: PageElement[];
  url?: string;
  onHot?: (element: PageElement | null) => void;
}

export function ElementsTable({ elements, url, onHot }: ElementsTableProps) {
  const { t } = useWords();
  const [wanted, setWanted] = useState("");
  const shown = elements.filter((element) =>
    `${element.ref} ${element.role} ${element.name} ${element.value}`.toLowerCase().includes(wanted.toLowerCase()),
  );
  return (
    <Box p="xs">
      {url && (
        <Text fz="xs" c="dimmed" ff="monospace" truncate title={visible(url)}>
          <Said>{url}</Said>
        </Text>
      )}
      <TextInput
        aria-label={t("correct.filter")}
        placeholder={`${t("correct.filter")} · ${t("elements.count", { n: elements.length })}`}
        value={wanted}
        onChange={(event) => setWanted(event.currentTarget.value)}
        my={6}
      />
      <ScrollArea.Autosize mah={420} type="auto">
        <Table aria-label={t("elements.title")} fz="xs" verticalSpacing={2} horizontalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th ta="right">#</Table.Th>
              <Table.Th>{t("elements.role")}</Table.Th>
              <Table.Th>{t("word.name")}</Table.Th>
              <Table.Th>{t("elements.value")}</Table.Th>
              <Table.Th>{t("elements.states")}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {shown.map((element) => (
              <Table.Tr key={element.ref} onMouseEnter={() => onHot?.(element)} onMouseLeave={() => onHot?.(null)}>
                <Table.Td ta="right" ff="monospace">
                  {element.ref}
                </Table.Td>
                <Table.Td>{element.role}</Table.Td>
                <Table.Td>
                  <Said>{element.name}</Said>
                </Table.Td>
                <Table.Td>
                  <Said>{element.value}</Said>
                </Table.Td>
                <Table.Td c="dimmed">{element.states.join(" ")}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollArea.Autosize>
    </Box>
  );
}
