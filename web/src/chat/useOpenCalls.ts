import type { Message } from "@ag-ui/core";
import { useEffect, useState } from "react";
import { getThread } from "../gateway/api";
import type { View } from "../gateway/view";

const none: readonly string[] = [];

/**
 * The calls that the page is to answer. Only the thread tells them from those that nothing came back of because their run was
 * stopped, so it is asked when a run has ended and left calls without a result.
 */
export function useOpenCalls(agent: string, thread: string, messages: readonly Message[], view: View): readonly string[] {
  const calls = messages.flatMap((message) => (message.role === "assistant" ? (message.toolCalls ?? []) : []));
  const unanswered = view.running || view.interrupts.length > 0 ? "" : calls.flatMap(({ id }) => (view.results.has(id) ? [] : [id])).join();
  const [open, setOpen] = useState(none);
  useEffect(() => {
    if (unanswered === "") return;
    const leave = new AbortController();
    getThread(thread, agent, { messages: 1, signal: leave.signal }).then(
      ({ openCalls }) => setOpen(openCalls.map(({ id }) => id)),
      () => {}, // the gateway is away, which the page says, or the thread is not there
    );
    return () => leave.abort();
  }, [agent, thread, unanswered, view.replays]);
  return unanswered === "" ? none : open;
}
