import { memo } from "react";
import { CopyButton } from "./CopyButton";
import { Json } from "./Json";
import type { Row } from "./rows";

interface Props {
  row: Row;
  /** From 0 on. */
  index: number;
  count: number;
  /** The height of the rows before this one that are not drawn. */
  gap: number;
  open: boolean;
  selected: boolean;
  /** Whether Tab stops here. */
  tab: boolean;
  /** Gets the row's element, for its height. */
  measure: (element: HTMLElement | null) => void;
  onToggle: (row: Row) => void;
  onShowState: (n: number) => void;
  /** The address of the row's event, if it has one. */
  onLink: (row: Row) => string | undefined;
}

/** One row of the timeline; open, with the JSON of its events. */
export const RowItem = memo(function RowItem({ row, index, count, gap, open, selected, tab, measure, onToggle, onShowState, onLink }: Props) {
  const pieces = row.count;
  return (
    <li
      ref={measure}
      data-index={index}
      className={row.start ? "insp-item insp-item-start" : "insp-item"}
      style={gap > 0 ? { marginTop: gap } : undefined}
      aria-posinset={index + 1}
      aria-setsize={count}
      data-testid="timeline-row"
      data-type={row.type}
      data-group={row.group}
      data-selected={selected || undefined}
    >
      <button type="button" className="insp-row" data-row={row.key} tabIndex={tab ? 0 : -1} aria-expanded={open} onClick={() => onToggle(row)}>
        <span className="insp-time" title={timeTitle(row)}>
          {row.offset !== undefined ? offset(row.offset) : row.replay ? "snapshot" : "history"}
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
      {open && <Detail row={row} onShowState={onShowState} onLink={onLink} />}
    </li>
  );
});

function Detail({ row, onShowState, onLink }: Pick<Props, "row" | "onShowState" | "onLink">) {
  const link = onLink(row);
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
        {link !== undefined && <CopyButton small label="Copy link" hint="To this event" text={() => link} testid="copy-event-link" />}
        <CopyButton small label="Copy JSON" text={() => JSON.stringify(value, null, 2)} testid="copy-event" />
      </div>
      <Json value={value} label={`${row.type} as JSON`} />
    </div>
  );
}

function offset(ms: number): string {
  return ms < 100_000 ? `+${(ms / 1000).toFixed(2)} s` : `+${Math.floor(ms / 60_000)} m ${Math.floor((ms % 60_000) / 1000)} s`;
}

function timeTitle({ time, replay }: Row): string {
  if (time !== undefined) return new Date(time).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "medium" });
  return replay ? "Part of a snapshot, which tells the current state" : "From the history: before this page was opened";
}
