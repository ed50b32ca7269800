// Conversations without a page: begun or answered by a script, or in another window.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { thread } from "./chat.mjs";

/** Runs an agent on a thread of its own, or on the one that is named, to its end; returns the thread's id. */
export async function begun(gateway, agent, text, threadId = randomUUID()) {
  const message = { id: randomUUID(), role: "user", content: text };
  await post(gateway, `/agents/${agent}`, { threadId, runId: randomUUID(), protocolVersion: "1.0", messages: [message] });
  return threadId;
}

/**
 * Answers the open questions of a thread, one choice each, and waits for the end of the run. A choice is a payload, or the text of an
 * option; undefined cancels the question.
 */
export async function answer(gateway, agent, id, ...choices) {
  const { interrupts } = await thread(gateway, id, agent);
  assert.equal(choices.length, interrupts.length, "a choice for each question");
  const resume = interrupts.map((question, i) => ({
    interruptId: question.id,
    ...(choices[i] === undefined ? { status: "cancelled" } : { status: "resolved", payload: payloadOf(question, choices[i]) }),
  }));
  await post(gateway, `/threads/${id}/resume?agent=${agent}`, { resume });
}

function payloadOf({ metadata }, choice) {
  if (typeof choice !== "string") return choice;
  const found = metadata?.value?.options?.find((option) => option === choice || Object.values(option).includes(choice));
  return typeof found === "object" ? found : { value: choice };
}

async function post(gateway, path, body) {
  const response = await fetch(gateway.url + path, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "text/event-stream", ...gateway.headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  assert.equal(response.status, 200, text);
}
