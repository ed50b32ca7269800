import { createContext, type ReactNode, use, useCallback, useEffect, useMemo, useState } from "react";
import type { ThreadSummary } from "../gateway/types";
import { useFollow } from "../gateway/useFollow";
import { isFresh } from "../fresh";
import { useConnection } from "./connection";
import { type Filter, grouped, type Here, isSearch, newestThreads, nextPage, type Pages, same, statusOf, suits, type ThreadList } from "./list";

export interface Inbox {
  /** The threads that need an answer and suit the filter, newest first, and the others that do. */
  waiting: ThreadSummary[];
  others: ThreadSummary[];
  /** Those that need an answer, whether or not they suit the filter. */
  asking: ThreadSummary[];
  /** How many threads of all agents need an answer, and the newest of them that is not on the page. */
  count: number;
  next: ThreadSummary | undefined;
  /** There may be older ones. */
  more: boolean;
  /** The list has been there since the filter was changed. */
  known: boolean;
  filter: Filter;
  setFilter: (filter: Filter) => void;
  /** Something has changed the list. */
  refresh: () => void;
  loadMore: () => void;
}

const nobody: Filter = { text: "", agent: "" };
const nothing: ThreadList = { threads: [], more: false };
const Context = createContext<Inbox>({
  waiting: [], others: [], asking: [], count: 0, next: undefined, more: false, known: false, filter: nobody, setFilter: () => {}, refresh: () => {}, loadMore: () => {},
});

export const useInbox = (): Inbox => use(Context);

/** How often the list is asked for, while the page is visible, so that questions asked elsewhere are seen. */
const EVERY_MS = 30_000;
/** How long the list may lag behind the events of the thread itself: it is eventually consistent. */
const BEHIND_MS = [250, 1000, 4000];
/** Several changes at once are one, and so are the letters of a word. */
const SETTLE_MS = 120;
const TYPING_MS = 300;

interface Props {
  /** The person may use the gateway, as far as is known. */
  allowed: boolean;
  /** The thread on the page, if its agent is served. */
  watched: { agent: string; id: string } | undefined;
  children: ReactNode;
}

/** Keeps the list of the person's threads with all agents. */
export function InboxProvider({ allowed, watched, children }: Props) {
  const [here, setHere] = useState<Here & { runs: string }>();
  const [filter, setFilter] = useState(nobody);
  const [pages, setPages] = useState<Pages>({ all: 1, found: 1 });
  const [again, setAgain] = useState(0);
  const refresh = useCallback(() => setAgain((n) => n + 1), []);
  const loadMore = useCallback(() => setPages((now) => nextPage(now, filter)), [filter]);
  const { waiting, newest, whole, of } = useLists(allowed, filter, isSearch(filter) ? pages.found : pages.all, here, again);
  useSeenAgain(refresh);

  const inbox = useMemo((): Inbox => {
    const all = grouped([waiting.threads, newest.threads, isSearch(filter) ? [] : whole.threads], here);
    const wanted = { waiting: all.waiting.filter((thread) => suits(thread, filter)), others: all.others.filter((thread) => suits(thread, filter)) };
    return {
      ...wanted,
      asking: all.waiting,
      count: all.waiting.length,
      next: all.waiting.find((thread) => !here || !same(thread, here)),
      more: newest.more || waiting.more,
      known: of === filter,
      filter,
      setFilter: (to) => {
        setPages(({ all }) => ({ all, found: 1 }));
        setFilter(to);
      },
      refresh,
      loadMore,
    };
  }, [waiting, newest, whole, of, here, filter, refresh, loadMore]);
  return (
    <Context value={inbox}>
      {watched && <Watch key={`${watched.agent}/${watched.id}`} {...watched} onChange={setHere} />}
      {children}
    </Context>
  );
}

/** Reports the status of the thread itself; a run that began and ended between two reports counts, too. */
function Watch({ agent, id, onChange }: { agent: string; id: string; onChange: (here: (Here & { runs: string }) | undefined) => void }) {
  const { view, status } = useFollow(agent, id, { fresh: isFresh(id) });
  const known = status === "open" && view.runs.length > 0 ? statusOf(view) : undefined;
  const runs = `${view.runCount} ${view.replays}`;
  useEffect(() => onChange({ agent, id, status: known, runs }), [agent, id, known, runs, onChange]);
  return null;
}

interface Lists {
  waiting: ThreadList;
  newest: ThreadList;
  /** The newest of all, as they were when nothing was looked for. */
  whole: ThreadList;
  /** The filter that `newest` was asked for with. */
  of: Filter | undefined;
}

/** The threads that need an answer and the newest ones, asked for again when something may have changed them. */
function useLists(allowed: boolean, filter: Filter, pages: number, here: (Here & { runs: string }) | undefined, again: number): Lists {
  const { epoch, suspect } = useConnection();
  const [lists, setLists] = useState<Lists>({ waiting: nothing, newest: nothing, whole: nothing, of: undefined });
  const { agent, id, status, runs } = here ?? {};
  const [asked, setAsked] = useState(filter);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(filter), filter.text === "" ? 0 : TYPING_MS);
    return () => clearTimeout(timer);
  }, [filter]);

  useEffect(() => {
    if (!allowed) return;
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout>;
    const look = (tries: number) => {
      const options = { signal: abort.signal };
      Promise.all([newestThreads({ status: "interrupted" }, pages, options), newestThreads({ agent: asked.agent, q: asked.text.trim() }, pages, options)]).then(
        ([waiting, newest]) => {
          setLists((now) => ({ waiting, newest, whole: isSearch(asked) ? now.whole : newest, of: asked }));
          const listed = [...waiting.threads, ...newest.threads].find((t) => t.id === id && t.agent === agent)?.status;
          const behind = status && listed !== status && (listed || (asked.text === "" && asked.agent === ""));
          if (behind && tries < BEHIND_MS.length) timer = setTimeout(() => look(tries + 1), BEHIND_MS[tries]);
        },
        (error: unknown) => abort.signal.aborted || suspect(error),
      );
    };
    timer = setTimeout(() => look(0), SETTLE_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [allowed, asked, pages, epoch, agent, id, status, runs, again, suspect]);
  return lists;
}

/** Asks again when the person comes back to the page, and now and then while they look at it. */
function useSeenAgain(refresh: () => void) {
  useEffect(() => {
    const look = () => document.visibilityState === "visible" && refresh();
    const timer = setInterval(look, EVERY_MS);
    document.addEventListener("visibilitychange", look);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, [refresh]);
}
