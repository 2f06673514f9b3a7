/** `/sessions/:id`: a session live, or replayed once it has ended. */
import { Badge, Group, Text } from "@mantine/core";
import { useParams } from "react-router";

import type { Me, SessionView } from "../api/types";
import { useMe } from "../api/verbs";
import { PolicyName, StateBadge } from "../components/badges";
import { Loaded, Page, To } from "../components/page";
import { Said } from "../components/Said";
import { useNames } from "../components/tickets";
import { Since } from "../components/time";
import type { Link } from "../live/socket";
import { useSession } from "../live/session";
import { HeadControls } from "../session/Controls";
import { usePlayer } from "../session/replay";
import { ENDED, SessionDesk } from "../session/SessionDesk";
import { visible } from "../visible";
import { useWords } from "../words";

export default function SessionPage() {
  const id = Number(useParams().id);
  const { link, query } = useSession(id);
  const me = useMe();
  return (
    <Loaded query={query}>
      {(view) => (me.data ? <SessionOf key={id} view={view} me={me.data} link={link} /> : null)}
    </Loaded>
  );
}

function SessionOf({ view, me, link }: { view: SessionView; me: Me; link: Link }) {
  const { t } = useWords();
  const isEnded = ENDED.has(view.state);
  const player = usePlayer(view.steps, !isEnded && view.state !== "queued");
  return (
    <Page
      full
      title={t("session.title", { ticket: view.ticket.id, id: view.id })}
      beside={<Beside view={view} isEnded={isEnded} />}
      actions={<HeadControls view={view} withSpace={!isEnded && player.at === null} />}
    >
      <SessionDesk view={view} me={me} link={link} player={player} />
    </Page>
  );
}

function Beside({ view, isEnded }: { view: SessionView; isEnded: boolean }) {
  const names = useNames();
  return (
    <Group gap="xs" className="page-beside">
      <Text fz="sm" truncate miw={60} title={visible(view.ticket.title)}>
        <To to={`/tickets/${view.ticket.id}`}>
          <Said>{view.ticket.title}</Said>
        </To>
      </Text>
      <Badge color="gray" title={names.environment(view.environment)}>{view.environment}</Badge>
      <PolicyName policy={view.policy} arm={view.arm} />
      <StateBadge state={view.state} />
      {!isEnded && view.approval && <Since at={view.approval.asked_at} />}
    </Group>
  );
}
