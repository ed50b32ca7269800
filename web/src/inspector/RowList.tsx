import { type KeyboardEvent, useCallback, useLayoutEffect, useMemo, useRef, useState } from "react";
import { RowItem } from "./RowItem";
import type { Row } from "./rows";
import { offsets, span } from "./window";

interface Props {
  rows: readonly Row[];
  /** Whether the newest row stays in sight. */
  pinned: boolean;
  onPinned: (pinned: boolean) => void;
  onShowState: (n: number) => void;
}

const HEIGHT = 32; // of a closed row, until one was measured

/** Any number of rows, of which only those in sight are in the document. */
export function RowList({ rows, pinned, onPinned, onShowState }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLOListElement>(null);
  const [view, setView] = useState({ top: 0, height: 600 });
  const [height, setHeight] = useState(HEIGHT);
  const [open, setOpen] = useState<ReadonlyMap<number, number>>(new Map()); // height by key
  const [active, setActive] = useState<number>(); // the key of the row that Tab goes to
  const focus = useRef(false); // whether the active row shall get the focus

  const byIndex = useMemo(() => {
    const heights = new Map<number, number>();
    if (open.size > 0) rows.forEach(({ key }, i) => open.has(key) && heights.set(i, open.get(key) ?? height));
    return heights;
  }, [rows, open, height]);
  const at = useMemo(() => offsets(rows.length, height, byIndex), [rows.length, height, byIndex]);
  const { from, to, above, below } = span(at, view.top, view.top + view.height);
  const inSight = rows.slice(from, to);
  const end = at[rows.length] ?? 0;

  // Where the list is and how high it and its rows are; all of them change with the window.
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const look = () => {
      setView((v) => (v.top === element.scrollTop && v.height === element.clientHeight ? v : { top: element.scrollTop, height: element.clientHeight }));
      const row = list.current?.querySelector<HTMLElement>(".insp-row");
      if (row) setHeight(row.offsetHeight);
    };
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  // Behind every change of what is to be scrolled: the end stays in sight.
  useLayoutEffect(() => {
    const element = box.current;
    if (pinned && element) element.scrollTop = element.scrollHeight;
  }, [pinned, end, view.height]);

  useLayoutEffect(() => {
    if (!focus.current || active === undefined) return;
    const button = list.current?.querySelector<HTMLElement>(`[data-row="${active}"]`);
    if (!button) return; // it is still out of sight
    focus.current = false;
    button.focus({ preventScroll: true });
  });

  const last = useRef(0);
  function scrolled() {
    const element = box.current;
    if (!element) return;
    const { scrollTop, clientHeight, scrollHeight } = element;
    setView({ top: scrollTop, height: clientHeight });
    const atEnd = scrollTop + clientHeight >= scrollHeight - height;
    if (pinned && !atEnd && scrollTop < last.current) onPinned(false);
    if (!pinned && atEnd && scrollTop > last.current) onPinned(true);
    last.current = scrollTop;
  }

  const toggle = useCallback(
    (key: number) => {
      setActive(key);
      onPinned(false); // a person has scrolled back to read
      setOpen((open) => {
        const next = new Map(open);
        if (!next.delete(key)) next.set(key, height);
        return next;
      });
    },
    [height, onPinned],
  );
  const measured = useCallback((key: number, px: number) => {
    setOpen((open) => (open.has(key) && open.get(key) !== px ? new Map(open).set(key, px) : open));
  }, []);

  function go(index: number) {
    const row = rows[Math.max(0, Math.min(rows.length - 1, index))];
    const element = box.current;
    if (!row || !element) return;
    const i = rows.indexOf(row);
    const [top, bottom] = [at[i] ?? 0, at[i + 1] ?? 0];
    if (top < element.scrollTop) element.scrollTop = top;
    else if (bottom > element.scrollTop + element.clientHeight) element.scrollTop = Math.min(top, bottom - element.clientHeight);
    setView({ top: element.scrollTop, height: element.clientHeight }); // without waiting for the scroll event
    onPinned(i === rows.length - 1);
    focus.current = true;
    setActive(row.key);
  }

  function pressed(e: KeyboardEvent) {
    const key = (e.target as HTMLElement).dataset["row"];
    if (key === undefined || e.altKey || e.ctrlKey || e.metaKey) return; // in an open row's inside
    const i = rows.findIndex((row) => String(row.key) === key);
    const page = Math.max(1, Math.floor(view.height / height) - 1);
    const isOpen = open.has(Number(key));
    if (e.key === "ArrowDown") go(i + 1);
    else if (e.key === "ArrowUp") go(i - 1);
    else if (e.key === "PageDown") go(i + page);
    else if (e.key === "PageUp") go(i - page);
    else if (e.key === "Home") go(0);
    else if (e.key === "End") go(rows.length - 1);
    else if ((e.key === "ArrowRight" && !isOpen) || (e.key === "ArrowLeft" && isOpen)) toggle(Number(key));
    else return;
    e.preventDefault();
  }

  // Tab goes to the active row, or if that is out of sight, to one that is in sight.
  const tab = inSight.some(({ key }) => key === active) ? active : rows[Math.min(to - 1, from + 10)]?.key;

  return (
    <div className="insp-scroll" ref={box} onScroll={scrolled} data-testid="timeline">
      <ol className="insp-rows" ref={list} aria-label="Events, oldest first" onKeyDown={pressed} style={{ paddingTop: above, paddingBottom: below }}>
        {inSight.map((row, i) => (
          <RowItem
            key={row.key}
            row={row}
            position={from + i + 1}
            count={rows.length}
            open={open.has(row.key)}
            tab={row.key === tab}
            onToggle={toggle}
            onHeight={measured}
            onShowState={onShowState}
          />
        ))}
      </ol>
    </div>
  );
}
