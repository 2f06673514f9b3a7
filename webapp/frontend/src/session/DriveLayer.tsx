/** Takes the pointer and the keys of the person at the wheel and hands them on as trusted input. */
import { Menu } from "@mantine/core";
import { useEffect, useRef, useState, type KeyboardEvent, type MouseEvent } from "react";

import type { HandEvent, PageElement } from "../api/contracts";
import { useWords } from "../words";

interface DriveLayerProps {
  viewport: [number, number];
  elements: PageElement[];
  onEvent: (event: HandEvent) => void;
  onLeave: () => void;
}

const MODIFIERS = new Set(["Shift", "Control", "Alt", "Meta", "CapsLock", "Dead", "Process", "Unidentified"]);

/** The smallest closed list under a point: its options open outside the page, where no picture shows them. */
export function listUnder(elements: PageElement[], x: number, y: number): PageElement | undefined {
  const inside = ({ box }: PageElement) =>
    x >= box.x && x <= box.x + box.width && y >= box.y && y <= box.y + box.height;
  const [top] = elements
    .filter((element) => element.actionable && inside(element))
    .sort((a, b) => a.box.width * a.box.height - b.box.width * b.box.height);
  return top && top.options.length > 0 && !top.states.includes("disabled") ? top : undefined;
}

export function DriveLayer({ viewport, elements, onEvent, onLeave }: DriveLayerProps) {
  const { t } = useWords();
  const area = useRef<HTMLTextAreaElement>(null);
  const [list, setList] = useState<{ element: PageElement; left: number; top: number } | null>(null);

  function place(event: { clientX: number; clientY: number }): { x: number; y: number } {
    const box = area.current?.getBoundingClientRect();
    if (!box) return { x: 0, y: 0 };
    return {
      x: Math.round(((event.clientX - box.left) / box.width) * viewport[0]),
      y: Math.round(((event.clientY - box.top) / box.height) * viewport[1]),
    };
  }

  function onClick(event: MouseEvent<HTMLTextAreaElement>): void {
    const { x, y } = place(event);
    const element = listUnder(elements, x, y);
    const box = area.current?.getBoundingClientRect();
    if (element && box) setList({ element, left: event.clientX - box.left, top: event.clientY - box.top });
    else onEvent({ kind: "pointer", x, y, clicks: Math.min(event.detail || 1, 3) });
  }

  function onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>): void {
    if (event.key === "Escape" && event.shiftKey) {
      event.preventDefault();
      onLeave();
      return;
    }
    const isPaste = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "v";
    if (isPaste || event.nativeEvent.isComposing || MODIFIERS.has(event.key)) return;
    event.preventDefault();
    if (event.ctrlKey || event.metaKey) return;
    onEvent({ kind: "key", key: event.key });
  }

  // React listens to the wheel passively; the page must not scroll along.
  useEffect(() => {
    const target = area.current;
    if (!target) return undefined;
    const onWheel = (event: WheelEvent) => {
      event.preventDefault();
      onEvent({ kind: "wheel", ...place(event), dy: Math.round(event.deltaY) });
    };
    target.addEventListener("wheel", onWheel, { passive: false });
    return () => target.removeEventListener("wheel", onWheel);
  });

  return (
    <>
      <textarea
        ref={area}
        className="drive"
        aria-label={t("session.drive")}
        value=""
        autoComplete="off"
        spellCheck={false}
        style={{ width: "100%", height: "100%", opacity: 0.01, resize: "none", border: 0, caretColor: "transparent" }}
        onChange={() => undefined}
        onClick={onClick}
        onKeyDown={onKeyDown}
        onPaste={(event) => {
          event.preventDefault();
          const text = event.clipboardData.getData("text/plain");
          if (text) onEvent({ kind: "text", text });
        }}
        onCompositionEnd={(event) => {
          if (event.data) onEvent({ kind: "text", text: event.data });
        }}
      />
      {list && (
        <Menu opened onClose={() => setList(null)} position="bottom-start" withinPortal>
          <Menu.Target>
            <span style={{ position: "absolute", left: list.left, top: list.top, width: 1, height: 1 }} />
          </Menu.Target>
          <Menu.Dropdown aria-label={t("session.chooseOption", { name: list.element.name })}>
            {list.element.options.map((option) => (
              <Menu.Item
                key={option}
                fw={option === list.element.value ? 700 : 400}
                onClick={() => {
                  onEvent({ kind: "select", element: list.element.ref, option });
                  area.current?.focus({ preventScroll: true });
                }}
              >
                {option}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
    </>
  );
}
