/** Lists: filters live in the URL, rows link to what they name, pages turn. */
import { ActionIcon, Box, Group, Select, Table, Text, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconChevronLeft, IconChevronRight, IconSearch } from "../icons";
import { useState, type ReactNode } from "react";
import { useNavigate, useSearchParams } from "react-router";

import { useWords } from "../words";

export const PAGE_SIZE = 50;
const LONG = 12; // options; more than these are searched rather than read

export interface Filters {
  values: Record<string, string>;
  set: (name: string, value: string) => void;
  offset: number;
  setOffset: (offset: number) => void;
}

/** Filters of this page, read from and written to the address. */
export function useFilters(names: readonly string[]): Filters {
  const [params, setParams] = useSearchParams();
  const values = Object.fromEntries(names.map((name) => [name, params.get(name) ?? ""]));
  function put(name: string, value: string): void {
    setParams(
      (before) => {
        const after = new URLSearchParams(before);
        if (name !== "offset") after.delete("offset");
        if (value === "" || value === "0") after.delete(name);
        else after.set(name, value);
        return after;
      },
      { replace: true },
    );
  }
  const offset = Number(params.get("offset") ?? 0) || 0;
  return { values, set: put, offset, setOffset: (next) => put("offset", String(next)) };
}

interface ChoiceProps {
  filters: Filters;
  name: string;
  label: string;
  options: { value: string; label: string }[];
}

export function ChoiceFilter({ filters, name, label, options }: ChoiceProps) {
  const { t } = useWords();
  return (
    <Select
      aria-label={label}
      placeholder={`${label}: ${t("word.any")}`}
      data={options}
      value={filters.values[name] || null}
      onChange={(value) => filters.set(name, value ?? "")}
      clearable
      searchable={options.length > LONG}
      w={170}
    />
  );
}

export function SearchFilter({ filters, name = "q", label }: { filters: Filters; name?: string; label: string }) {
  const [text, setText] = useState(filters.values[name] ?? "");
  const put = useDebouncedCallback((value: string) => filters.set(name, value), 250);
  return (
    <TextInput
      aria-label={label}
      placeholder={label}
      leftSection={<IconSearch size={13} aria-hidden />}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        put(event.currentTarget.value);
      }}
      w={220}
    />
  );
}

export interface Column<T> {
  name: string;
  cell: (row: T) => ReactNode;
  right?: boolean;
  width?: number | string;
  /** Left out on narrow windows. */
  wide?: boolean;
}

interface ListingProps<T> {
  label: string;
  rows: T[];
  columns: Column<T>[];
  keyOf: (row: T) => string | number;
  /** Address of a row; a click anywhere on the row follows it. */
  to?: (row: T) => string;
  empty: ReactNode;
}

export function Listing<T>({ label, rows, columns, keyOf, to, empty }: ListingProps<T>) {
  const navigate = useNavigate();
  if (rows.length === 0) return <Box className="panel">{empty}</Box>;
  return (
    <Table.ScrollContainer minWidth={620} className="panel">
      <Table aria-label={label} stickyHeader={false}>
        <Table.Thead>
          <Table.Tr>
            {columns.map((column) => (
              <Table.Th key={column.name} className={column.wide ? "wide-cell" : undefined} ta={column.right ? "right" : "left"} w={column.width}>
                {column.name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr
              key={keyOf(row)}
              className={to ? "row-link" : undefined}
              onClick={(event) => {
                const onControl = (event.target as HTMLElement).closest("a, button, input");
                if (to && !onControl && !window.getSelection()?.toString()) void navigate(to(row));
              }}
            >
              {columns.map((column) => (
                <Table.Td key={column.name} className={column.wide ? "wide-cell" : undefined} ta={column.right ? "right" : "left"}>
                  {column.cell(row)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

export function Pager({ filters, count }: { filters: Filters; count: number }) {
  const { t } = useWords();
  if (count <= PAGE_SIZE && filters.offset === 0) return null;
  const to = Math.min(filters.offset + PAGE_SIZE, count);
  return (
    <Group gap="xs" justify="flex-end">
      <Text fz="sm" c="dimmed">
        {t("word.ofN", { from: Math.min(filters.offset + 1, count), to, count })}
      </Text>
      <ActionIcon
        aria-label={t("do.previous")}
        disabled={filters.offset === 0}
        onClick={() => filters.setOffset(Math.max(0, filters.offset - PAGE_SIZE))}
      >
        <IconChevronLeft size={16} />
      </ActionIcon>
      <ActionIcon aria-label={t("do.next")} disabled={to >= count} onClick={() => filters.setOffset(filters.offset + PAGE_SIZE)}>
        <IconChevronRight size={16} />
      </ActionIcon>
    </Group>
  );
}
