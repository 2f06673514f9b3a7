/** Cmd/Ctrl-K: go to a page, a ticket or a session. */
import { Spotlight, type SpotlightActionData } from "@mantine/spotlight";
import { IconBrowser, IconPlus, IconSearch, IconTicket } from "../icons";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useNavigate } from "react-router";

import { api } from "../api/client";
import type { Listed, TicketRow } from "../api/types";
import { PLACES } from "../places";
import { useWords } from "../words";

export function Palette() {
  const { t, word } = useWords();
  const navigate = useNavigate();
  const [wanted, setWanted] = useState("");
  const tickets = useQuery({
    queryKey: ["tickets", "palette", wanted],
    queryFn: () => api.get<Listed<TicketRow>>("/tickets", { q: wanted, limit: 6 }),
    enabled: wanted.length > 1,
  });
  const go = (to: string) => () => void navigate(to);
  const number = /^\d+$/.test(wanted) ? wanted : "";
  const places: SpotlightActionData[] = PLACES.flatMap((group) => group.places).map(({ to, name, icon: PlaceIcon }) => ({
    id: to,
    label: t(name),
    onClick: go(to),
    leftSection: <PlaceIcon size={17} />,
  }));
  const byNumber: SpotlightActionData[] = number
    ? [
        { id: `ticket-${number}`, label: t("palette.ticket", { n: number }), onClick: go(`/tickets/${number}`), leftSection: <IconTicket size={17} /> },
        { id: `session-${number}`, label: t("palette.session", { n: number }), onClick: go(`/sessions/${number}`), leftSection: <IconBrowser size={17} /> },
      ]
    : [];
  const found: SpotlightActionData[] = (tickets.data?.items ?? []).map((ticket) => ({
    id: `found-${ticket.id}`,
    label: `${ticket.title} (${ticket.id})`,
    description: `${ticket.environment} · ${word("state", ticket.state)}`,
    onClick: go(`/tickets/${ticket.id}`),
    leftSection: <IconTicket size={17} />,
    keywords: wanted,
  }));
  return (
    <Spotlight
      query={wanted}
      onQueryChange={setWanted}
      shortcut={null}
      limit={12}
      scrollable
      nothingFound={t("palette.nothing")}
      searchProps={{ leftSection: <IconSearch size={17} />, placeholder: t("palette.placeholder"), "aria-label": t("palette.placeholder") }}
      actions={[
        ...byNumber,
        { id: "/tickets/new", label: t("tickets.new"), onClick: go("/tickets/new"), leftSection: <IconPlus size={17} /> },
        ...places,
        ...found,
      ]}
    />
  );
}
