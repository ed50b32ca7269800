// The hooks of the inspector's parts.

import { useEffect, useMemo, useState } from "react";
import { GatewayError, getThread } from "../gateway/api";
import type { Following } from "../gateway/useFollow";
import type { SeenEvent, Thread } from "../gateway/types";
import { MAX_EVENTS } from "../gateway/store";
import { firstId, History, nothing, preludeEnd, readLog } from "./log";
import { type Row, Rows } from "./rows";

/** The thread as the gateway has it, asked for again whenever a run begins or ends. */
export function useThread(agent: string, thread: string, { status, running, runCount, view }: Following): { known?: Thread; problem?: string } {
  const [answer, setAnswer] = useState<{ of: string; known?: Thread; problem?: string }>({ of: "" });
  const of = `${agent}/${thread}`;
  useEffect(() => {
    if (status !== "open") return;
    const abort = new AbortController();
    getThread(thread, agent, { signal: abort.signal }).then(
      (known) => setAnswer({ of, known }),
      (error: unknown) => {
        if (abort.signal.aborted) return;
        // The gateway cannot be reached, or the thread was deleted. The reader of the events shows that already.
        const told = error instanceof GatewayError && ![0, 404].includes(error.status) ? error.message : undefined;
        setAnswer((last) => ({ ...(last.of === of ? last : { of }), problem: told }));
      },
    );
    return () => abort.abort();
  }, [agent, thread, of, status, running, runCount, view.replays]);
  return answer.of === of ? answer : {};
}

/** The events, after the log of those before this page came, where the gateway still has it: the newest of them, or all
 * once showAll was called.
 */
export function useLog(agent: string, thread: string, { events, dropped, base }: Pick<Following, "events" | "dropped" | "base">) {
  const [history] = useState(() => new History());
  const [log, setLog] = useState(nothing);
  const [whole, setWhole] = useState<string>(); // the id of the first event there was when all were wanted
  const until = whole ?? preludeEnd(events);
  const most = whole === undefined ? MAX_EVENTS : Infinity;
  useEffect(() => {
    if (until === undefined) return;
    const abort = new AbortController();
    void readLog(agent, thread, until, abort.signal, most).then((log) => abort.signal.aborted || log === nothing || setLog(log));
    return () => abort.abort();
  }, [agent, thread, until, most]);
  const all = useMemo(() => history.sync({ events, dropped }, log, most), [history, events, dropped, log, most]);
  // The base is what the first of `events` found, and no other.
  return { ...all, base: all.events[0] === events[0] ? base : undefined, cursor: newest(events), showAll: () => setWhole(firstId(all.events)) };
}

/** The rows of the events, which grow with them. */
export function useRows(events: readonly SeenEvent[]): readonly Row[] {
  const [rows] = useState(() => new Rows());
  return useMemo(() => rows.sync(events), [rows, events]);
}

function newest(events: readonly SeenEvent[]): string | undefined {
  return events.findLast(({ id }) => id !== undefined)?.id;
}

/** The list that was there before, as long as nothing was added at its end or taken from its beginning. */
export function useStable<T>(list: readonly T[]): readonly T[] {
  const [kept, setKept] = useState(list);
  if (kept === list || (kept.length === list.length && kept[0] === list[0] && kept.at(-1) === list.at(-1))) return kept;
  setKept(list);
  return list;
}
