import { type CSSProperties, type KeyboardEvent, type PointerEvent, type ReactNode, useRef, useState, useSyncExternalStore } from "react";
import { GREATEST, keepShare, keptShare, LEAST, moved, type Side, shareAt } from "./share";
import "./docked.css";

// A window that is low, as one that is zoomed, has no room below the conversation.
const narrow = matchMedia("(max-width: 760px) and (min-height: 560.02px), (max-width: 600px)");
const onNarrow = (listener: () => void) => {
  narrow.addEventListener("change", listener);
  return () => narrow.removeEventListener("change", listener);
};

/** A conversation, and the inspector beside or below it while that is open, with an edge between them that can be moved. */
export function Docked({ dock, children }: { dock: ReactNode; children: ReactNode }) {
  const side: Side = useSyncExternalStore(onNarrow, () => narrow.matches) ? "below" : "beside";
  const [shares, setShares] = useState(() => ({ beside: keptShare("beside"), below: keptShare("below") }));
  const frame = useRef<HTMLDivElement>(null);
  const share = shares[side];
  const resize = (share: number) => {
    setShares((shares) => ({ ...shares, [side]: share }));
    keepShare(side, share);
  };
  return (
    <div className="docked" data-dock={dock ? side : undefined} ref={frame} style={{ "--dock": `${share}%` } as CSSProperties}>
      <div className="docked-main">{children}</div>
      {dock && (
        <>
          <Edge share={share} side={side} onShare={resize} at={(point) => (frame.current ? shareAt(point, frame.current.getBoundingClientRect(), side) : share)} />
          <div className="dock" id="inspector">
            {dock}
          </div>
        </>
      )}
    </div>
  );
}

interface EdgeProps {
  share: number;
  side: Side;
  onShare: (share: number) => void;
  at: (point: { x: number; y: number }) => number;
}

function Edge({ share, side, onShare, at }: EdgeProps) {
  function pressed(event: KeyboardEvent) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const next = moved(share, event.key, side);
    if (next === undefined) return;
    event.preventDefault();
    onShare(next);
  }
  function dragged(event: PointerEvent<HTMLDivElement>) {
    if (event.currentTarget.hasPointerCapture(event.pointerId)) onShare(at({ x: event.clientX, y: event.clientY }));
  }
  return (
    <div className="dock-frame" role="region" aria-label="Edge of the inspector">
      <div
        className="dock-edge"
        role="separator"
        tabIndex={0}
        aria-label="Size of the inspector"
        aria-controls="inspector"
        aria-orientation={side === "beside" ? "vertical" : "horizontal"}
        aria-valuenow={share}
        aria-valuemin={LEAST}
        aria-valuemax={GREATEST}
        aria-valuetext={`${share} percent`}
        data-testid="dock-edge"
        onKeyDown={pressed}
        onPointerDown={(event) => event.button === 0 && event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={dragged}
      />
    </div>
  );
}
