import { useCallback, useDeferredValue, useEffect, useMemo, useRef, useState } from "react";
import { filterRows, type Group, groups, participants, type Row } from "./rows";
import { RowList } from "./RowList";

interface Props {
  rows: readonly Row[];
  /** How many older events are not shown because there are too many, and what shows them all. */
  dropped: number;
  onShowAll: () => void;
  /** The row that is looked at, and whether a link led to it. */
  selected: Row | undefined;
  linked: boolean;
  onSelect: (row: Row) => void;
  onShowState: (n: number) => void;
  onLink: (row: Row) => string | undefined;
}

/** The events as they came, with what to look at and what not. */
export function Timeline({ rows, dropped, onShowAll, selected, ...ofRows }: Props) {
  const [hidden, setHidden] = useState<ReadonlySet<Group>>(new Set());
  const [who, setWho] = useState<string>();
  const [text, setText] = useState("");
  const [seen, setSeen] = useState<number>(); // the newest row when somebody stopped to look; absent: the newest stays in sight
  const wanted = useDeferredValue(text);

  const everybody = useMemo(() => participants(rows), [rows]);
  const shown = useMemo(
    () => filterRows(rows, { groups: new Set(groups.filter((g) => !hidden.has(g))), who, text: wanted }),
    [rows, hidden, who, wanted],
  );
  const counts = useMemo(() => {
    const counts = new Map<Group, number>();
    for (const { group, count } of rows) counts.set(group, (counts.get(group) ?? 0) + count);
    return counts;
  }, [rows]);

  function toggle(group: Group) {
    const next = new Set(hidden);
    if (!next.delete(group)) next.add(group);
    setHidden(next);
  }
  const newest = shown.at(-1)?.key;
  const last = useRef(newest);
  useEffect(() => {
    last.current = newest;
  });
  const pin = useCallback((pinned: boolean) => setSeen((seen) => (pinned ? undefined : (seen ?? last.current ?? 0))), []);
  const pinned = seen === undefined;
  const news = pinned ? 0 : shown.length - 1 - shown.findLastIndex(({ key }) => key <= seen);
  const events = [...counts.values()].reduce((a, b) => a + b, 0);
  const filtered = shown.length < rows.length;

  return (
    <div className="insp-timeline">
      <div className="insp-tools" role="group" aria-label="Filter the events">
        <div className="insp-fields">
          <label className="insp-field insp-search">
            <span className="insp-unseen">Search the events</span>
            <input type="search" placeholder="Search the events" value={text} onChange={(e) => setText(e.target.value)} data-testid="timeline-search" />
          </label>
          <label className="insp-field">
            <span className="insp-unseen">Participant</span>
            <select value={who === undefined ? "*" : `=${who}`} onChange={(e) => setWho(e.target.value === "*" ? undefined : e.target.value.slice(1))} data-testid="filter-participant">
              <option value="*">All participants</option>
              {everybody.map((name) => (
                <option key={name} value={`=${name}`}>
                  {name}
                </option>
              ))}
              <option value="=">Run events</option>
            </select>
          </label>
        </div>
        <div className="insp-groups">
          {groups.map((group) => (
            <button key={group} type="button" className="insp-group" data-group={group} aria-pressed={!hidden.has(group)} onClick={() => toggle(group)} data-testid={`filter-${group}`}>
              <span className="insp-dot" aria-hidden="true" />
              {group} <span className="insp-number">{counts.get(group) ?? 0}</span>
            </button>
          ))}
        </div>
      </div>
      <div className="insp-count">
        <p data-testid="timeline-count">
          {filtered ? `${shown.length} of ${rows.length} rows` : `${rows.length} rows`}, {events} events
          {dropped > 0 && `; ${dropped} older ${dropped === 1 ? "event" : "events"} not shown`}
        </p>
        {dropped > 0 && (
          <button type="button" className="insp-button insp-small" onClick={onShowAll} data-testid="show-all">
            Show all
          </button>
        )}
        <button type="button" className="insp-button insp-small" aria-pressed={pinned} onClick={() => pin(!pinned)} data-testid="autoscroll">
          {pinned ? "Stop following" : news > 0 ? `Follow the newest, ${news} below` : "Follow the newest"}
        </button>
      </div>
      {rows.length === 0 ? (
        <p className="insp-empty" data-testid="timeline">
          No events yet. They appear here as they are sent.
        </p>
      ) : (
        <RowList rows={shown} pinned={pinned} onPinned={pin} selected={selected?.key} {...ofRows} />
      )}
      {rows.length > 0 && shown.length === 0 && <p className="insp-empty">No event fits these filters.</p>}
    </div>
  );
}
