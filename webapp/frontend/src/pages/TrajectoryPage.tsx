/** `/trajectories/:hash`: an accepted session, byte for byte what policies learn from, replayed. */
import { Badge, Box, Group, Tabs, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useParams } from "react-router";

import { api, frameUrl } from "../api/client";
import type { PageElement, Trajectory } from "../api/contracts";
import { Hash, OutcomeBadge, PolicyName } from "../components/badges";
import { Facts, Loaded, Page } from "../components/page";
import { Said } from "../components/Said";
import { useNames } from "../components/tickets";
import { finder } from "../session/actions";
import { Checks } from "../session/Checks";
import { ElementsTable } from "../session/ElementsTable";
import { recordedSteps } from "../session/recorded";
import { pictureAt, ringsAt, usePlayer } from "../session/replay";
import { ReplayBar } from "../session/ReplayBar";
import { Screen } from "../session/Screen";
import { Timeline } from "../session/Timeline";
import { useWords } from "../words";

export default function TrajectoryPage() {
  const hash = useParams().hash ?? "";
  const query = useQuery({
    queryKey: ["trajectory", hash],
    queryFn: () => api.get<Trajectory>(`/trajectories/${hash}`),
    staleTime: Infinity,
  });
  return <Loaded query={query}>{(trajectory) => <TrajectoryOf hash={hash} trajectory={trajectory} />}</Loaded>;
}

function TrajectoryOf({ hash, trajectory }: { hash: string; trajectory: Trajectory }) {
  const { t } = useWords();
  const names = useNames();
  const [steps] = useState(() => recordedSteps(trajectory));
  const [hot, setHot] = useState<PageElement | null>(null);
  const player = usePlayer(steps, false);
  const at = player.at ?? steps.length;
  const seen = trajectory.steps[Math.min(at, trajectory.steps.length - 1)]?.observation;
  const picture = pictureAt(steps, at);
  return (
    <Page
      full
      title={t("trajectory.heading")}
      beside={
        <Group gap="xs">
          <Hash value={hash} />
          <OutcomeBadge outcome={trajectory.verification.outcome} />
          <PolicyName policy={trajectory.policy} />
          {trajectory.labels.map((label) => (
            <Badge key={label} color="red">
              {label}
            </Badge>
          ))}
        </Group>
      }
    >
      <div className="session">
        <div className="session-screen">
          <Screen
            label={t("replay.title")}
            viewport={seen?.viewport ?? [1280, 720]}
            picture={{ still: picture ? frameUrl(picture) : "" }}
            rings={hot ? [{ box: hot.box, number: hot.ref, main: true }] : ringsAt(steps, at)}
          />
          <ReplayBar player={player} isLive={false} withSpace />
        </div>
        <div className="session-side">
          <div className="panel" style={{ padding: 10 }}>
            <Text fz="sm" mb={6}>
              <Said>{trajectory.task.goal.text}</Said>
            </Text>
            <Facts
              facts={[
                [t("word.environment"), names.environment(trajectory.task.environment)],
                [t("word.template"), names.template(trajectory.task.template)],
                ...trajectory.task.goal.fields,
                ...(trajectory.answer ? [[t("ended.answer"), trajectory.answer] as [string, string]] : []),
              ]}
            />
            <Box mt="sm">
              <Checks verification={trajectory.verification} />
            </Box>
          </div>
          <div className="panel">
            <Tabs defaultValue="timeline" keepMounted={false}>
              <Tabs.List>
                <Tabs.Tab value="timeline">
                  {t("timeline.title")} ({steps.length})
                </Tabs.Tab>
                <Tabs.Tab value="elements">{t("elements.title")}</Tabs.Tab>
              </Tabs.List>
              <Tabs.Panel value="timeline">
                <Timeline
                  steps={steps}
                  open={steps[at]?.index ?? null}
                  onOpen={(index) => player.go(index === null ? steps.length : index - 1)}
                  me=""
                  find={(step) => finder(trajectory.steps[step.index - 1]?.observation.elements ?? [])}
                />
              </Tabs.Panel>
              <Tabs.Panel value="elements">
                <ElementsTable elements={seen?.elements ?? []} url={seen?.url ?? ""} onHot={setHot} />
              </Tabs.Panel>
            </Tabs>
          </div>
        </div>
      </div>
    </Page>
  );
}
