import { type KeyboardEvent, useRef } from "react";
import { type Tab, tabs } from "../place";

const labels: Record<Tab, string> = { trace: "Trace", events: "Events", state: "State", questions: "Questions", runs: "Runs", team: "Team" };

interface Props {
  tab: Tab;
  /** What waits in a tab. */
  counts: Partial<Record<Tab, number>>;
  onTab: (tab: Tab) => void;
}

/** The inspector's tabs, by the keys of a tab list: arrows, Home, End. */
export function Tabs({ tab, counts, onTab }: Props) {
  const list = useRef<HTMLDivElement>(null);
  function pressed(event: KeyboardEvent) {
    const at = tabs.indexOf(tab);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 }[event.key];
    const next = to === undefined ? undefined : tabs.at(to % tabs.length);
    if (!next || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    onTab(next);
    list.current?.querySelector<HTMLElement>(`#insp-tab-${next}`)?.focus();
  }
  return (
    <div className="insp-tabs" role="tablist" aria-label="Parts of the inspector" ref={list} onKeyDown={pressed}>
      {tabs.map((t) => (
        <button
          key={t}
          type="button"
          role="tab"
          className="insp-tab"
          id={`insp-tab-${t}`}
          aria-selected={t === tab}
          aria-controls={t === tab ? `insp-${t}` : undefined}
          tabIndex={t === tab ? 0 : -1}
          onClick={() => onTab(t)}
          data-testid={`insp-tab-${t}`}
        >
          {labels[t]}
          {(counts[t] ?? 0) > 0 && <span className="insp-badge">{counts[t]}</span>}
        </button>
      ))}
    </div>
  );
}
