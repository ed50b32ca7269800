import { memo, useLayoutEffect, useRef } from "react";
import { CopyButton } from "./CopyButton";
import { Json } from "./Json";
import type { Row } from "./rows";

interface Props {
  row: Row;
  /** From 1 on. */
  position: number;
  count: number;
  open: boolean;
  /** Whether Tab stops here. */
  tab: boolean;
  onToggle: (key: number) => void;
  /** An open row is as high as what it shows. */
  onHeight: (key: number, px: number) => void;
  onShowState: (n: number) => void;
}

/** One row of the timeline; open, with the JSON of its events. */
export const RowItem = memo(function RowItem({ row, position, count, open, tab, onToggle, onHeight, onShowState }: Props) {
  const item = useRef<HTMLLIElement>(null);
  useLayoutEffect(() => {
    const element = item.current;
    if (!open || !element) return;
    const observer = new ResizeObserver(() => onHeight(row.key, element.offsetHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, [open, row.key, onHeight]);

  const pieces = row.events.length;
  return (
    <li
      ref={item}
      className={row.start ? "insp-item insp-item-start" : "insp-item"}
      aria-posinset={position}
      aria-setsize={count}
      data-testid="timeline-row"
      data-type={row.type}
      data-group={row.group}
    >
      <button type="button" className="insp-row" data-row={row.key} tabIndex={tab ? 0 : -1} aria-expanded={open} onClick={() => onToggle(row.key)}>
        <span className="insp-time" title={timeTitle(row)}>
          {row.replay ? "snapshot" : row.offset === undefined ? "history" : offset(row.offset)}
        </span>
        <span className="insp-dot" aria-hidden="true" />
        <span className="insp-type">
          {row.type}
          {pieces > 1 && (
            <span className="insp-times">
              <span aria-hidden="true">×{pieces}</span>
              <span className="insp-unseen">, {pieces} events</span>
            </span>
          )}
        </span>
        <span className="insp-who">{row.who}</span>
        <span className="insp-summary">{row.summary}</span>
      </button>
      {open && <Detail row={row} onShowState={onShowState} />}
    </li>
  );
}, same);

function Detail({ row, onShowState }: { row: Row; onShowState: (n: number) => void }) {
  const events = row.events.map(({ event }) => event);
  const value = events.length === 1 ? events[0] : events;
  const ids = [row.events[0]?.id, row.events.at(-1)?.id].filter((id) => id !== undefined);
  return (
    <div className="insp-detail">
      <div className="insp-detail-tools">
        <span className="insp-id">{ids.length > 0 ? `id ${[...new Set(ids)].join(" to ")}` : "no id: part of a snapshot"}</span>
        {row.group === "state" && (
          <button type="button" className="insp-button insp-small" onClick={() => onShowState(row.key)}>
            Show this state
          </button>
        )}
        <CopyButton small label="Copy JSON" text={() => JSON.stringify(value, null, 2)} testid="copy-event" />
      </div>
      <Json value={value} label={`${row.type} as JSON`} />
    </div>
  );
}

// Rows are created again with every event; most of them are equal to the ones before.
function same(a: Props, b: Props): boolean {
  return (
    a.row.key === b.row.key &&
    a.row.events.length === b.row.events.length &&
    a.row.who === b.row.who &&
    a.row.offset === b.row.offset &&
    a.position === b.position &&
    a.count === b.count &&
    a.open === b.open &&
    a.tab === b.tab &&
    a.onToggle === b.onToggle &&
    a.onHeight === b.onHeight &&
    a.onShowState === b.onShowState
  );
}

function offset(ms: number): string {
  return ms < 100_000 ? `+${(ms / 1000).toFixed(2)} s` : `+${Math.floor(ms / 60_000)} m ${Math.floor((ms % 60_000) / 1000)} s`;
}

function timeTitle(row: Row): string {
  const at = row.events[0]?.at ?? 0;
  if (row.replay) return "Part of a snapshot, which tells the current state";
  return at > 0 ? `Arrived ${new Date(at).toLocaleTimeString()}` : "From the history: before this page was opened";
}
