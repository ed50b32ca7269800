// What became of the calls of tools in a conversation.

import { createContext, useContext, useMemo } from "react";
import { decidedOf } from "client/approval";
import type { CallResult, View } from "../gateway/view";

/**
 * proposed: a person is asked whether it is made. waiting: the page is to answer it. open: the run is over, and nothing came back,
 * because the run was stopped or failed.
 */
export type CallState = "proposed" | "running" | "waiting" | "open" | "done" | "failed" | "declined";

/** The known facts of all calls. */
export interface Calls {
  results: View["results"];
  /** The calls that a person is asked about. */
  asked: ReadonlySet<string>;
  /** The calls that the page is to answer. */
  waiting: ReadonlySet<string>;
  /** A run is live, or waits for a person. */
  running: boolean;
}

/** A call's state, from its result, if there is one. */
export function stateOf(id: string, result: Partial<CallResult> | undefined, { asked, waiting, running }: Omit<Calls, "results">): CallState {
  if (result) {
    const decision = decidedOf(result.metadata)?.decision;
    if (decision === "declined" || decision === "cancelled") return "declined";
    return result.metadata?.["failed"] === true ? "failed" : "done";
  }
  if (asked.has(id)) return "proposed";
  if (waiting.has(id)) return "waiting";
  return running ? "running" : "open";
}

/**
 * What the thread says of its calls. CopilotKit's own messages are not asked: it adds a result to each call that somebody has
 * answered for, before the gateway has made the call, or refused to.
 */
export function useCalls({ results, interrupts, running }: View, waiting: readonly string[]): Calls {
  return useMemo(() => {
    const asked = new Set(interrupts.flatMap(({ toolCallId }) => toolCallId ?? []));
    return { results, asked, waiting: new Set(waiting), running: running || interrupts.length > 0 };
  }, [results, interrupts, waiting, running]);
}

export const CallsContext = createContext<Calls>({ results: new Map(), asked: new Set(), waiting: new Set(), running: false });

/** A call's state, and its result. */
export function useCall(id: string): { state: CallState; result: CallResult | undefined } {
  const calls = useContext(CallsContext);
  const result = calls.results.get(id);
  return { state: stateOf(id, result, calls), result };
}
