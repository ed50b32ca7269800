// How TanStack's chat client reaches an agent of the gateway, with what it needs to show a thread again after a reload.

import { fetchServerSentEvents } from "@tanstack/ai-client";

/** A connection for `new ChatClient({ connection, persistence: true, threadId })`. */
export function connectionTo(gateway, agent, threadId) {
  const events = fetchServerSentEvents(`${gateway}/threads/${threadId}/events`);
  return {
    ...fetchServerSentEvents(`${gateway}/agents/${agent}`),
    joinRun: events.joinRun,
    async hydrate() {
      const response = await fetch(`${gateway}/threads/${threadId}`);
      if (response.status === 404) return { messages: [], activeRun: null, interrupts: null }; // nobody has written yet
      const { messages, status, interrupts, runs } = await response.json();
      const [{ runId }] = runs; // the newest
      return {
        messages: messages.filter(({ content }) => content).map(({ id, role, content }) => ({ id, role, parts: [{ type: "text", content }] })),
        activeRun: status === "running" ? { runId } : null,
        interrupts: interrupts?.length ? { runId, pending: interrupts } : null,
      };
    },
  };
}
