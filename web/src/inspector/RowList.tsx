import { defaultRangeExtractor, type Range, useVirtualizer } from "@tanstack/react-virtual";
import { type FocusEvent, type KeyboardEvent, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { RowItem } from "./RowItem";
import type { Row } from "./rows";

interface Props {
  rows: readonly Row[];
  /** Whether the newest row stays in sight. */
  pinned: boolean;
  onPinned: (pinned: boolean) => void;
  /** The key of the row that is looked at; it is scrolled to, and opened where a link led to it. */
  selected: number | undefined;
  linked: boolean;
  onSelect: (row: Row) => void;
  onShowState: (n: number) => void;
  onLink: (row: Row) => string | undefined;
}

const HEIGHT = 32; // of a closed row, until it is measured

/** Any number of rows. Only the rows in sight and the row with the focus are in the document. */
export function RowList({ rows, pinned, onPinned, selected, linked, onSelect, onShowState, onLink }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const [active, setActive] = useState<number>(); // the key of the row that Tab goes to
  const focus = useRef(false); // whether the active row shall get the focus
  const [within, setWithin] = useState(false); // whether the active row has the focus
  const kept = within ? rows.findIndex(({ key }) => key === active) : -1;
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => HEIGHT,
    getItemKey: (i) => rows[i]?.key ?? i,
    overscan: 10,
    // A row that leaves the document would lose the focus, and the next key with it.
    rangeExtractor: useCallback(
      (range: Range) => {
        const shown = defaultRangeExtractor(range);
        return kept < 0 || shown.includes(kept) ? shown : [...shown, kept].sort((a, b) => a - b);
      },
      [kept],
    ),
  });
  const inSight = list.getVirtualItems();
  const height = list.getTotalSize();

  // After every change of the rows: the end stays in sight.
  useLayoutEffect(() => {
    if (pinned && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [pinned, height, rows]);

  const at = selected === undefined ? -1 : rows.findIndex(({ key }) => key === selected);
  const [shown, setShown] = useState<number>();
  if (at >= 0 && selected !== shown) {
    setShown(selected);
    setActive(selected);
    if (linked) setOpen(new Set(open).add(selected!));
  }
  useEffect(() => {
    if (at < 0) return;
    onPinned(at === rows.length - 1);
    list.scrollToIndex(at, { align: "center" });
    // Scrolls to the selection only, and to no row that has moved.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [selected, at >= 0]);

  useEffect(() => {
    if (!focus.current || active === undefined) return;
    const button = box.current?.querySelector<HTMLElement>(`[data-row="${active}"]`);
    if (!button) return; // it is still out of sight
    focus.current = false;
    button.focus({ preventScroll: true });
  });

  const last = useRef(0);
  function scrolled() {
    const element = box.current;
    if (!element) return;
    const { scrollTop, clientHeight, scrollHeight } = element;
    const atEnd = scrollTop + clientHeight >= scrollHeight - HEIGHT;
    if (pinned && !atEnd && scrollTop < last.current) onPinned(false);
    if (!pinned && atEnd && scrollTop > last.current) onPinned(true);
    last.current = scrollTop;
  }

  const toggle = useCallback(
    (row: Row) => {
      setActive(row.key);
      onPinned(false); // a person has scrolled back to read
      setOpen((open) => {
        const next = new Set(open);
        if (!next.delete(row.key)) next.add(row.key);
        return next;
      });
      onSelect(row);
    },
    [onPinned, onSelect],
  );

  function go(index: number) {
    const i = Math.max(0, Math.min(rows.length - 1, index));
    const row = rows[i];
    if (!row) return;
    onPinned(i === rows.length - 1);
    list.scrollToIndex(i, { align: "auto" });
    focus.current = true;
    setActive(row.key);
  }

  function focusMoved({ target }: FocusEvent) {
    const row = rows[Number(target.closest("li")?.dataset["index"])];
    if (row) setActive(row.key);
    setWithin(row !== undefined);
  }

  function pressed(e: KeyboardEvent) {
    const key = (e.target as HTMLElement).dataset["row"];
    if (key === undefined || e.altKey || e.ctrlKey || e.metaKey) return; // in an open row's inside
    const i = rows.findIndex((row) => String(row.key) === key);
    const row = rows[i];
    const page = Math.max(1, inSight.length - 22);
    const isOpen = open.has(Number(key));
    if (e.key === "ArrowDown") go(i + 1);
    else if (e.key === "ArrowUp") go(i - 1);
    else if (e.key === "PageDown") go(i + page);
    else if (e.key === "PageUp") go(i - page);
    else if (e.key === "Home") go(0);
    else if (e.key === "End") go(rows.length - 1);
    else if (row && ((e.key === "ArrowRight" && !isOpen) || (e.key === "ArrowLeft" && isOpen))) toggle(row);
    else return;
    e.preventDefault();
  }

  // Tab goes to the active row, or if that is out of sight, to one that is in sight.
  const tab = inSight.some(({ key }) => key === active) ? active : rows[inSight[Math.min(10, inSight.length - 1)]?.index ?? 0]?.key;
  const [first, end] = [inSight[0], inSight.at(-1)];

  return (
    <div className="insp-scroll" ref={box} onScroll={scrolled} data-testid="timeline">
      <ol
        className="insp-rows"
        aria-label="Events, oldest first"
        onKeyDown={pressed}
        onFocus={focusMoved}
        onBlur={() => setWithin(false)}
        style={{ paddingTop: first?.start ?? 0, paddingBottom: height - (end?.end ?? height) }}
      >
        {inSight.map(({ index, start }, i) => {
          const row = rows[index];
          return (
            row && (
              <RowItem
                key={row.key}
                row={row}
                index={index}
                count={rows.length}
                gap={start - (inSight[i - 1]?.end ?? start)}
                open={open.has(row.key)}
                selected={row.key === selected}
                tab={row.key === tab}
                measure={list.measureElement}
                onToggle={toggle}
                onShowState={onShowState}
                onLink={onLink}
              />
            )
          );
        })}
      </ol>
    </div>
  );
}
