import { createContext, use, useEffect, useMemo, useState } from "react";
import { getThread } from "../gateway/api";
import type { Thread } from "../gateway/types";
import type { Following } from "../gateway/useFollow";
import { nothing, type Past, placed } from "./past";

export const PastContext = createContext<Past>(nothing);

export const usePastOf = (): Past => use(PastContext);

/** The past of a thread, asked for again whenever a run begins or ends. */
export function usePast(agent: string, thread: string, { status, running, runCount, view }: Following): Past {
  const [known, setKnown] = useState<Pick<Thread, "runs" | "answers">>();
  useEffect(() => {
    if (status !== "open") return;
    const abort = new AbortController();
    getThread(thread, agent, { signal: abort.signal, messages: 1 }).then(
      ({ runs, answers }) => setKnown({ runs, ...(answers && { answers }) }),
      () => {}, // the reader of the events reports the problem, and known items stay
    );
    return () => abort.abort();
  }, [agent, thread, status, running, runCount, view.replays]);
  return useMemo(() => (known ? placed(known, view.results) : nothing), [known, view.results]);
}
