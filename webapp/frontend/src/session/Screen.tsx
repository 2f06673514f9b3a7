/** The browser's picture, live or still, with what is proposed, pickable or driven drawn over it. */
import { useEffect, useRef, useState } from "react";

import type { Box, HandEvent, PageElement } from "../api/contracts";
import { useFrames } from "../live/session";
import { useWords } from "../words";
import { elementText } from "./actions";
import { DriveLayer } from "./DriveLayer";

export interface Ring {
  box: Box;
  number: number;
  main: boolean;
}

interface ScreenProps {
  label: string;
  viewport: [number, number];
  /** Live: this session's frames. Still: a stored picture. */
  picture: { live: number } | { still: string };
  rings?: Ring[];
  pick?: { elements: PageElement[]; picked: number | null; hot: number | null; onHot: (ref: number | null) => void; onPick: (element: PageElement) => void };
  drive?: { elements: PageElement[]; onEvent: (event: HandEvent) => void; onLeave: () => void };
}

function LiveCanvas({ session, label }: { session: number; label: string }) {
  const { t } = useWords();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [hasFrame, setHasFrame] = useState(false);
  const [show] = useState(() => painter(canvas, setHasFrame));
  useFrames(session, true, show);
  return (
    <>
      <canvas ref={canvas} role="img" aria-label={label} data-has-frame={hasFrame} />
      {!hasFrame && <div className="waiting">{t("session.firstFrame")}</div>}
    </>
  );
}

/** Draws frames as they come; while one is decoded only the newest of the others is kept. */
function painter(canvas: React.RefObject<HTMLCanvasElement | null>, onFirst: (has: true) => void) {
  let busy = false;
  let next: ArrayBuffer | null = null;
  async function paint(jpeg: ArrayBuffer): Promise<void> {
    const bitmap = await createImageBitmap(new Blob([jpeg], { type: "image/jpeg" }));
    const target = canvas.current;
    if (target) {
      if (target.width !== bitmap.width) target.width = bitmap.width;
      if (target.height !== bitmap.height) target.height = bitmap.height;
      target.getContext("2d")?.drawImage(bitmap, 0, 0);
      onFirst(true);
    }
    bitmap.close();
  }
  async function drain(): Promise<void> {
    busy = true;
    while (next) {
      const jpeg = next;
      next = null;
      await paint(jpeg).catch(() => undefined); // a torn picture is skipped; the next one follows
    }
    busy = false;
  }
  return (jpeg: ArrayBuffer) => {
    next = jpeg;
    if (!busy) void drain();
  };
}

function Still({ url, label }: { url: string; label: string }) {
  const { t } = useWords();
  const [lost, setLost] = useState("");
  if (!url || lost === url) return <div className="waiting">{t(url ? "session.lostPicture" : "session.noPicture")}</div>;
  return <img src={url} alt={label} onError={() => setLost(url)} />;
}

/** Where a box lies whose middle the picture does not show: at the edge nearest to it; null where it is shown. */
export function edgeOf(box: Box, [width, height]: [number, number]): { x: number; y: number } | null {
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  if (x >= 0 && x <= width && y >= 0 && y <= height) return null;
  return { x: Math.min(Math.max(x, 0), width), y: Math.min(Math.max(y, 0), height) };
}

const TAG = { width: 132, height: 24 };

/** An element further down or aside: its number stands at the edge that it lies beyond. */
function EdgeTag({ ring, edge, viewport }: { ring: Ring; edge: { x: number; y: number }; viewport: [number, number] }) {
  const { t } = useWords();
  const x = Math.min(Math.max(edge.x - TAG.width / 2, 4), viewport[0] - TAG.width - 4);
  const y = Math.min(Math.max(edge.y - TAG.height / 2, 4), viewport[1] - TAG.height - 4);
  return (
    <g>
      <rect x={x} y={y} width={TAG.width} height={TAG.height} rx={4} fill={ring.main ? "#ffb000" : "#4aa8ff"} />
      <text x={x + TAG.width / 2} y={y + 17} textAnchor="middle" fontSize={13} fontWeight={700} fill="#101419">
        {t("session.outOfView", { n: ring.number })}
      </text>
    </g>
  );
}

function RingShape({ ring, viewport }: { ring: Ring; viewport: [number, number] }) {
  const { x, y, width, height } = ring.box;
  const edge = edgeOf(ring.box, viewport);
  if (edge) return ring.main ? <EdgeTag ring={ring} edge={edge} viewport={viewport} /> : null;
  const label = String(ring.number);
  // Beside the element where there is room, so that no label of a field is hidden.
  const tagX = x > 26 ? x - 26 : x - 4;
  const tagY = x > 26 ? y + Math.min(height / 2 - 10, 4) : y > 22 ? y - 22 : y + height + 2;
  return (
    <g>
      <rect className={ring.main ? "ring" : "ring-other"} x={x - 3} y={y - 3} width={width + 6} height={height + 6} rx={4} />
      <rect x={tagX} y={tagY} width={20} height={20} rx={4} fill={ring.main ? "#ffb000" : "#4aa8ff"} />
      <text x={tagX + 10} y={tagY + 15} textAnchor="middle" fontSize={14} fontWeight={700} fill="#101419">
        {label}
      </text>
    </g>
  );
}

function area({ width, height }: Box): number {
  return width * height;
}

function PickLayer({ pick }: { pick: NonNullable<ScreenProps["pick"]> }) {
  const words = useWords();
  // Large ones first, so that what lies inside them can be reached.
  const shown = pick.elements.filter((element) => area(element.box) > 0).sort((a, b) => area(b.box) - area(a.box));
  return shown.map((element) => (
    <rect
      key={element.ref}
      className="pickable"
      data-picked={element.ref === pick.picked}
      data-hot={element.ref === pick.hot}
      {...element.box}
      onMouseEnter={() => pick.onHot(element.ref)}
      onMouseLeave={() => pick.onHot(null)}
      onClick={() => pick.onPick(element)}
    >
      <title>{elementText(element, element.ref, words)}</title>
    </rect>
  ));
}

export function Screen({ label, viewport, picture, rings = [], pick, drive }: ScreenProps) {
  const [width, height] = viewport;
  const host = useRef<HTMLDivElement>(null);
  const mode = drive ? "drive" : pick ? "pick" : "show";
  const hot = pick?.elements.find((element) => element.ref === pick.hot);
  useEffect(() => {
    if (mode === "drive") host.current?.querySelector("textarea")?.focus({ preventScroll: true });
  }, [mode]);
  return (
    <div className="screen" ref={host} data-mode={mode} style={{ aspectRatio: `${width} / ${height}` }}>
      {"live" in picture ? (
        <LiveCanvas session={picture.live} label={label} key={picture.live} />
      ) : (
        <Still url={picture.still} label={label} />
      )}
      <svg className="overlay" viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden>
        {pick && <PickLayer pick={pick} />}
        {!pick && !drive && rings.map((ring) => <RingShape key={ring.number} ring={ring} viewport={viewport} />)}
        {pick && hot && <HotName element={hot} height={height} />}
      </svg>
      {drive && <DriveLayer viewport={viewport} {...drive} />}
    </div>
  );
}

function HotName({ element, height }: { element: PageElement; height: number }) {
  const words = useWords();
  const text = elementText(element, element.ref, words).slice(0, 60);
  const below = element.box.y + element.box.height + 24 < height;
  const y = below ? element.box.y + element.box.height + 2 : element.box.y - 24;
  return (
    <g pointerEvents="none">
      <rect x={element.box.x} y={y} width={text.length * 7.6 + 12} height={22} rx={3} fill="#101419" opacity={0.92} />
      <text x={element.box.x + 6} y={y + 15} fontSize={13} fill="#ffb000">
        {text}
      </text>
    </g>
  );
}
