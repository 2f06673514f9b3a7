/** Who has control of the browser, and the verbs that change it. */
import { Alert, Button, Group, Loader, Modal, Paper, Stack, Text, TextInput } from "@mantine/core";
import { IconPlayerPause, IconPlayerPlay, IconPlayerStop, IconSteeringWheel } from "../icons";
import { useState } from "react";

import { api } from "../api/client";
import type { SessionView } from "../api/types";
import { useVerb } from "../api/verbs";
import { useAsk } from "../components/ask";
import { KeyHint } from "../components/KeyHint";
import { Said } from "../components/Said";
import { useKeys } from "../keys";
import { apart } from "../visible";
import { useWords } from "../words";

export type Command = "take-over" | "hand-back" | "pause" | "resume" | "stop" | "finish";

/** Sends a command; the page changes when the event of it arrives. */
export function useCommand(id: number) {
  return useVerb(({ command, body }: { command: Command; body?: unknown }) => api.post(`/sessions/${id}/${command}`, body ?? {}), {
    touches: ["session"],
  });
}

/** Pause, resume and stop, in the page's head. */
export function HeadControls({ view, withSpace }: { view: SessionView; withSpace: boolean }) {
  const { t } = useWords();
  const ask = useAsk();
  const command = useCommand(view.id);
  const { can } = view;
  async function stop(): Promise<void> {
    const answer = await ask({
      title: t("session.stopTitle", { id: view.id }),
      body: t("session.stopBody", { title: apart(view.ticket.title) }),
      verb: t("session.stopVerb"),
      danger: true,
      reason: "wanted",
    });
    if (answer) command.mutate({ command: "stop", body: answer });
  }
  const pauseOrResume = () => command.mutate({ command: can.resume ? "resume" : "pause" });
  useKeys([
    { key: "s", label: t("session.stop"), run: () => void stop(), off: !can.stop },
    ...(withSpace
      ? [
          {
            key: " ",
            label: t(can.resume ? "session.resume" : "session.pause"),
            run: pauseOrResume,
            off: !can.pause && !can.resume,
          },
        ]
      : []),
  ]);
  return (
    <>
      {can.pause && (
        <Button variant="default" leftSection={<IconPlayerPause size={14} />} onClick={pauseOrResume} loading={command.isPending}>
          {t("session.pause")}
        </Button>
      )}
      {can.resume && (
        <Button leftSection={<IconPlayerPlay size={14} />} onClick={pauseOrResume} loading={command.isPending}>
          {t("session.resume")}
        </Button>
      )}
      {can.stop && (
        <Button variant="light" color="red" leftSection={<IconPlayerStop size={14} />} rightSection={<KeyHint of="s" />} onClick={() => void stop()}>
          {t("session.stop")}
        </Button>
      )}
    </>
  );
}

/** The one line that says who acts, when nobody is asked anything. */
export function StatePanel({ view, takeOver }: { view: SessionView; takeOver: (() => void) | undefined }) {
  const { t } = useWords();
  useKeys([{ key: "t", label: t("decide.takeOver"), run: () => takeOver?.(), off: !takeOver }]);
  const says = {
    queued: t("session.queued"),
    starting: t("session.starting"),
    paused: t("session.paused"),
  } as Record<string, string>;
  const isMoving = view.state === "queued" || view.state === "starting" || view.state === "running";
  return (
    <Paper>
      <Group justify="space-between" gap="sm" wrap="nowrap">
        <Group gap="sm" wrap="nowrap">
          {isMoving && <Loader size={14} aria-hidden />}
          <div>
            <Text fz="sm">{says[view.state] ?? t("session.running")}</Text>
            {view.end_reason && (
              <Text fz="sm" c="dimmed">
                <Said>{view.end_reason}</Said>
              </Text>
            )}
          </div>
        </Group>
        {takeOver && (
          <Button variant="default" leftSection={<IconSteeringWheel size={15} />} rightSection={<KeyHint of="t" />} onClick={takeOver}>
            {t("decide.takeOver")}
          </Button>
        )}
      </Group>
    </Paper>
  );
}

export function PendingPanel({ view }: { view: SessionView }) {
  const { t } = useWords();
  return (
    <Paper className="striped" role="status">
      <Text fw={600}>{t("session.pending")}</Text>
      <Text fz="sm">{t("session.pendingBody", { who: view.controlled_by || t("problem.someone") })}</Text>
    </Paper>
  );
}

/** The banner while a person drives. */
export function DrivingPanel({ view, isMine }: { view: SessionView; isMine: boolean }) {
  const { t } = useWords();
  const command = useCommand(view.id);
  const [isAsking, setAsking] = useState(false);
  const [answer, setAnswer] = useState("");
  const handBack = () => command.mutate({ command: "hand-back" });
  useKeys([{ key: "h", label: t("session.handBack"), run: handBack, off: !view.can.hand_back }]);
  return (
    <Alert
      color={isMine ? "red.9" : "red"}
      variant={isMine ? "filled" : "light"}
      icon={<IconSteeringWheel size={18} />}
      title={isMine ? t("session.driving") : t("session.otherDrives", { who: view.controlled_by || t("problem.someone") })}
      role="status"
    >
      <Stack gap="xs">
        <Text fz="sm" c="inherit">
          {t(isMine ? "session.drivingBody" : "session.otherDrivesBody")}
        </Text>
        {view.can.hand_back && (
          <Group gap="xs">
            <Button id="hand-back" color="red" variant="white" onClick={handBack} loading={command.isPending} rightSection={<KeyHint of="h" />}>
              {t("session.handBack")}
            </Button>
            <Button variant="white" color="dark" onClick={() => setAsking(true)}>
              {t("session.done")}
            </Button>
          </Group>
        )}
      </Stack>
      <Modal opened={isAsking} onClose={() => setAsking(false)} title={t("session.doneTitle")}>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            setAsking(false);
            command.mutate({ command: "finish", body: { answer } });
          }}
        >
          <Stack gap="sm">
            <Text fz="sm">{t("session.doneBody")}</Text>
            <TextInput
              data-autofocus
              label={t("session.answer")}
              description={t("session.answerHint")}
              value={answer}
              onChange={(event) => setAnswer(event.currentTarget.value)}
            />
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={() => setAsking(false)}>
                {t("do.back")}
              </Button>
              <Button type="submit">{t("session.doneVerb")}</Button>
            </Group>
          </Stack>
        </form>
      </Modal>
    </Alert>
  );
}
