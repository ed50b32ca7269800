// Conversations that were begun elsewhere: by a script, or in another window.

import { randomUUID } from "node:crypto";

/** Runs an agent on a thread of its own, or on the one that is named, to its end; returns the thread's id. */
export async function begun(gateway, agent, text, threadId = randomUUID()) {
  const response = await fetch(`${gateway.url}/agents/${agent}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ threadId, runId: randomUUID(), protocolVersion: "1.0", messages: [{ id: randomUUID(), role: "user", content: text }] }),
  });
  await response.text();
  return threadId;
}
