import { useEffect, useMemo, useState } from "react";
import { GatewayError, getTrace } from "../../gateway/api";
import { gatewayNow } from "client/clock";
import type { Run, Trace } from "../../gateway/types";
import type { Following } from "../../gateway/useFollow";
import { merged } from "./lines";

export interface Traced {
  trace?: Trace | undefined;
  /** Why there is none. */
  problem?: string | undefined;
}

/**
 * The trace of a run: as the gateway keeps it, and while it is live with every step as it comes. It is asked for again when
 * the run has ended, and after a time without connection.
 */
export function useTrace(agent: string, thread: string, run: (Run & { number: number }) | undefined, newest: boolean, { status, steps, view }: Following): Traced {
  const [answer, setAnswer] = useState<Traced & { of: string }>({ of: "" });
  const number = run?.number;
  const of = `${agent}/${thread}/${number}`;
  useEffect(() => {
    if (status !== "open" || number === undefined) return;
    const abort = new AbortController();
    getTrace(thread, agent, number, { signal: abort.signal }).then(
      (trace) => setAnswer({ of, trace }),
      (error: unknown) => {
        if (abort.signal.aborted) return;
        const { status = 0, message } = error as GatewayError;
        const problem = status === 404 || status === 410 ? "The steps of this run are no longer kept." : status === 0 ? undefined : message;
        setAnswer((last) => ({ ...(last.of === of ? last : { of }), problem }));
      },
    );
    return () => abort.abort();
  }, [agent, thread, of, number, status, run?.status, view.replays]);

  const known = answer.of === of ? answer : undefined;
  const live = newest && steps.all.size > 0;
  const trace = useMemo(() => {
    if (!run || !(live || known?.trace)) return undefined;
    const base: Trace = known?.trace ?? {
      ...{ threadId: thread, runId: run.runId, number: run.number, agent, status: run.status, steps: [] },
      startedAt: Date.parse(run.startedAt),
      ...(run.endedAt && { endedAt: Date.parse(run.endedAt) }),
    };
    return live ? { ...base, steps: merged(base.steps, steps.all.values()) } : base;
  }, [known?.trace, live, steps.all, run, agent, thread]);
  return { trace, problem: trace ? undefined : known?.problem };
}

const TICK_MS = 100;

/** The gateway's time, in Unix milliseconds, that moves while a step is live. */
export function useGatewayTime(running: boolean, { steps: { newest } }: Pick<Following, "steps">): number {
  const [, tick] = useState(0);
  useEffect(() => {
    if (!running) return;
    const timer = setInterval(() => tick((n) => n + 1), TICK_MS);
    return () => clearInterval(timer);
  }, [running]);
  // The time in its last event is exact; the date of its answers is only so to a second.
  return newest ? newest.clock + (Date.now() - newest.at) : gatewayNow();
}
