import { useVirtualizer } from "@tanstack/react-virtual";
import { type CSSProperties, type KeyboardEvent, useEffect, useMemo, useRef, useState } from "react";
import type { Step, Trace } from "../../gateway/types";
import { above, type Line, linesOf } from "./lines";
import { barOf, price, type Scale, scaleOf, ticks, took } from "./scale";
import { durationOf, nameOf, spoken } from "./words";

interface Props {
  trace: Trace;
  /** The gateway's time, for live steps. */
  now: number;
  /** The id of the step that is looked at. */
  selected: string | undefined;
  onSelect: (step: Step | undefined) => void;
}

const HEIGHT = 30;
const TICKS = 5;

/** The steps of a run as bars in time, in a tree with its keys. */
export function Waterfall({ trace, now, selected, onSelect }: Props) {
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const [active, setActive] = useState<string>(); // what Tab goes to
  const box = useRef<HTMLDivElement>(null);
  const focus = useRef(false);
  const over = trace.endedAt !== undefined || trace.status !== "running";
  const lines = useMemo(() => linesOf(trace.steps, closed), [trace.steps, closed]);
  const scale = scaleOf(trace, over ? trace.startedAt : now);
  const list = useVirtualizer({ count: lines.length, getScrollElement: () => box.current, estimateSize: () => HEIGHT, overscan: 15, getItemKey: (i) => lines[i]?.step.id ?? i });

  // A selection elsewhere is opened here and scrolled to.
  const [shown, setShown] = useState<string>();
  if (selected !== shown) {
    setShown(selected);
    if (selected !== undefined) {
      const hidden = above(trace.steps, selected).filter((id) => closed.has(id));
      if (hidden.length > 0) setClosed(new Set([...closed].filter((id) => !hidden.includes(id))));
      setActive(selected);
    }
  }
  const at = lines.findIndex(({ step }) => step.id === selected);
  useEffect(() => {
    if (at >= 0) list.scrollToIndex(at, { align: "auto" });
    // Scrolls to the selection only, and to no row that has moved.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [selected, at >= 0]);

  useEffect(() => {
    if (!focus.current) return;
    const row = box.current?.querySelector<HTMLElement>('[tabindex="0"][role="treeitem"]');
    if (!row) return; // it is still out of sight
    focus.current = false;
    row.focus({ preventScroll: true });
  });

  const tab = Math.max(0, lines.findIndex(({ step }) => step.id === active));
  function set(id: string, open: boolean) {
    const next = new Set(closed);
    if (open) next.delete(id);
    else next.add(id);
    setClosed(next);
    setActive(id);
  }
  function goTo(index: number) {
    const line = lines[Math.max(0, Math.min(lines.length - 1, index))];
    if (!line) return;
    focus.current = true;
    setActive(line.step.id);
    list.scrollToIndex(lines.indexOf(line), { align: "auto" });
  }
  function pressed(event: KeyboardEvent) {
    const line = lines[tab];
    if (!line || event.altKey || event.ctrlKey || event.metaKey) return;
    const { step, open, inside, level } = line;
    const page = Math.max(1, Math.floor((box.current?.clientHeight ?? 0) / HEIGHT) - 1);
    if (event.key === "ArrowDown") goTo(tab + 1);
    else if (event.key === "ArrowUp") goTo(tab - 1);
    else if (event.key === "PageDown") goTo(tab + page);
    else if (event.key === "PageUp") goTo(tab - page);
    else if (event.key === "Home") goTo(0);
    else if (event.key === "End") goTo(lines.length - 1);
    else if (event.key === "ArrowRight" && inside > 0 && !open) set(step.id, true);
    else if (event.key === "ArrowRight" && open) goTo(tab + 1);
    else if (event.key === "ArrowLeft" && open) set(step.id, false);
    else if (event.key === "ArrowLeft") goTo(lines.slice(0, tab).findLastIndex((l) => l.level < level));
    else if (event.key === "Enter" || event.key === " ") onSelect(step);
    else if (event.key === "Escape" && selected !== undefined) onSelect(undefined);
    else return;
    event.preventDefault();
  }

  const marks = ticks(scale, TICKS);
  return (
    <div className="wf">
      <div className="wf-axis" aria-hidden="true">
        <span className="wf-axis-name">Step</span>
        <span className="wf-chart">
          {marks.map((ms) => (
            <span key={ms} className="wf-tick" style={place(ms, scale)}>
              {ms === 0 ? "0" : took(ms)}
            </span>
          ))}
        </span>
        <span className="wf-cell">Tokens</span>
        <span className="wf-cell">Cost</span>
      </div>
      <div className="wf-scroll" ref={box} data-testid="waterfall" tabIndex={-1}>
        <div className="wf-rows" role="tree" aria-label="Steps of the run" onKeyDown={pressed} style={{ height: list.getTotalSize() }}>
          <div className="wf-grid" role="presentation" aria-hidden="true">
            <span className="wf-chart">
              {marks.map((ms) => (
                <i key={ms} style={place(ms, scale)} />
              ))}
            </span>
          </div>
          {list.getVirtualItems().map(({ index, start, key }) => {
            const line = lines[index];
            return (
              line && (
                <Row
                  key={key}
                  line={line}
                  top={start}
                  scale={scale}
                  now={now}
                  over={over}
                  tab={index === tab}
                  selected={line.step.id === selected}
                  onSelect={() => {
                    setActive(line.step.id);
                    onSelect(line.step.id === selected ? undefined : line.step);
                  }}
                  onToggle={() => set(line.step.id, !line.open)}
                />
              )
            );
          })}
        </div>
      </div>
    </div>
  );
}

const place = (ms: number, { start, end }: Scale): CSSProperties => ({ left: `${(100 * ms) / (end - start)}%` });

interface RowProps {
  line: Line;
  top: number;
  scale: Scale;
  now: number;
  over: boolean;
  tab: boolean;
  selected: boolean;
  onSelect: () => void;
  onToggle: () => void;
}

function Row({ line: { step, level, position, siblings, inside, open }, top, scale, now, over, tab, selected, onSelect, onToggle }: RowProps) {
  const bar = barOf(step, scale, over);
  const duration = durationOf(step, { now, over });
  const going = step.end === undefined && !over;
  const { usage } = step;
  const style = { left: `${100 * bar.from}%`, width: `${100 * (bar.to - bar.from)}%` };
  // The duration is after its bar, or where there is no room before it, or else inside.
  const side = bar.to <= 0.75 ? "behind" : bar.from >= 0.2 ? "before" : "inside";
  const label = side === "behind" ? { left: `${100 * bar.to}%` } : { right: `${100 * (1 - (side === "before" ? bar.from : bar.to))}%` };
  return (
    <div
      className="wf-row"
      role="treeitem"
      aria-level={level}
      aria-posinset={position}
      aria-setsize={siblings}
      aria-expanded={inside > 0 ? open : undefined}
      aria-selected={selected}
      aria-label={spoken(step, duration)}
      tabIndex={tab ? 0 : -1}
      style={{ transform: `translateY(${top}px)` }}
      data-testid="step"
      data-kind={step.kind}
      data-step={step.id}
      data-code={step.code}
      data-going={going || undefined}
      onClick={onSelect}
    >
      <span className="wf-name" style={{ paddingLeft: `${Math.min(level - 1, 8) * 0.9}rem` }}>
        <span
          className="wf-twist"
          aria-hidden="true"
          onClick={(event) => {
            if (inside === 0) return;
            event.stopPropagation();
            onToggle();
          }}
        >
          {inside > 0 ? (open ? "▾" : "▸") : ""}
        </span>
        <span className="wf-kind" aria-hidden="true" />
        <span className="wf-title">{nameOf(step)}</span>
        {!open && inside > 0 && <span className="wf-inside">+{inside}</span>}
        {(step.attempt ?? 1) > 1 && <span className="wf-try">try {step.attempt}</span>}
        {step.code && <span className="wf-code">{step.code}</span>}
      </span>
      <span className="wf-chart">
        <span className="wf-bar" style={style} data-earlier={bar.earlier || undefined} data-later={bar.later || undefined} />
        {bar.first !== undefined && <span className="wf-first" style={{ left: `${100 * bar.first}%` }} />}
        <span className="wf-took" data-side={side} style={label}>
          {bar.earlier && "◂ "}
          {duration}
          {bar.later && " ▸"}
        </span>
      </span>
      <span className="wf-cell">{usage && `${(usage.inputTokens ?? 0).toLocaleString()} → ${(usage.outputTokens ?? 0).toLocaleString()}`}</span>
      <span className="wf-cell">{step.cost !== undefined && price(step.cost)}</span>
    </div>
  );
}
