/** LIVE light, slider, play and speed: one row under the picture. */
import { ActionIcon, Badge, Button, Group, SegmentedControl, Slider, Text } from "@mantine/core";
import { IconChevronLeft, IconChevronRight, IconPlayerPause, IconPlayerPlay } from "../icons";

import { useKeys } from "../keys";
import { useWords } from "../words";
import { SPEEDS, type Player } from "./replay";

interface ReplayBarProps {
  player: Player;
  isLive: boolean;
  /** Space belongs to pause and resume while the session is live. */
  withSpace: boolean;
}

export function ReplayBar({ player, isLive, withSpace }: ReplayBarProps) {
  const { t } = useWords();
  const { at, count } = player;
  useKeys([
    { key: "arrowleft", label: t("replay.back"), run: () => player.by(-1), off: count === 0 },
    { key: "arrowright", label: t("replay.forward"), run: () => player.by(1), off: count === 0 },
    ...(withSpace ? [{ key: " ", label: t("replay.play"), run: player.toggle, off: count === 0 }] : []),
  ]);
  const position = at ?? count;
  const label = position >= count ? t("replay.end") : t("replay.at", { n: position + 1, count });
  return (
    <Group gap="xs" wrap="nowrap" className="panel" px="xs" py={5} mt={6}>
      {isLive &&
        (at === null ? (
          <Badge color="red" variant="outline" leftSection={<span className="live-dot" />}>
            {t("replay.live")}
          </Badge>
        ) : (
          <Button size="compact-xs" variant="default" onClick={() => player.go(null)}>
            {t("replay.goLive")}
          </Button>
        ))}
      <ActionIcon aria-label={t("replay.back")} onClick={() => player.by(-1)} disabled={position <= 0}>
        <IconChevronLeft size={16} />
      </ActionIcon>
      <ActionIcon
        aria-label={t(player.isPlaying ? "replay.pause" : "replay.play")}
        variant="default"
        onClick={player.toggle}
        disabled={count === 0}
      >
        {player.isPlaying ? <IconPlayerPause size={15} /> : <IconPlayerPlay size={15} />}
      </ActionIcon>
      <ActionIcon aria-label={t("replay.forward")} onClick={() => player.by(1)} disabled={position >= count}>
        <IconChevronRight size={16} />
      </ActionIcon>
      <Slider
        flex={1}
        size="sm"
        min={0}
        max={Math.max(count, 1)}
        step={1}
        value={position}
        label={null}
        disabled={count === 0}
        onChange={(value) => player.go(value)}
        thumbLabel={t("replay.position")}
        marks={count <= 40 ? Array.from({ length: count + 1 }, (_, value) => ({ value })) : []}
      />
      <Text fz="xs" c="dimmed" miw={86} ta="right" aria-live="polite">
        {at === null && isLive ? "" : label}
      </Text>
      <SegmentedControl
        size="xs"
        aria-label={t("replay.speed")}
        data={SPEEDS.map((speed) => ({ value: String(speed), label: `${speed}×` }))}
        value={String(player.speed)}
        onChange={(value) => player.setSpeed(Number(value))}
      />
    </Group>
  );
}
