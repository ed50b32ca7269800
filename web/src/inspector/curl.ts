// Requests as curl commands, to be pasted into a shell. What they would have to say who they are is left to the
// reader's environment: no secret passes through here.

import { stringify } from "client/form/exact";
import { threadPath } from "../gateway/api";
import { cardOf } from "client/card";
import { exampleOf, pick } from "client/schema";
import type { Interrupt, Message } from "../gateway/types";

const AUTH = '-H "Authorization: Bearer $GATEWAY_KEY"';

/** The run's POST for a user message. */
export function runCurl(root: string, agent: string, thread: string, message: Message | undefined): string {
  const body = {
    threadId: thread,
    runId: message ? `again-${message.id}` : "run-1",
    protocolVersion: "1.0",
    messages: [message ? { id: message.id, role: "user", content: message.content } : { id: "message-1", role: "user", content: "Hello" }],
    tools: [],
    context: [],
    state: {},
    forwardedProps: {},
  };
  return lines(`curl -N ${quote(`${root}/agents/${encodeURIComponent(agent)}?disconnect=detach`)}`, [
    AUTH,
    "-H 'Content-Type: application/json'",
    "-H 'Accept: text/event-stream'",
    `--data-raw ${quote(stringify(body))}`,
  ]);
}

/** The request that reads on behind a cursor, or begins with a snapshot. */
export function attachCurl(root: string, agent: string, thread: string, cursor: string | undefined): string {
  const url = root + threadPath(thread, agent, "events", { follow: "1", protocolVersion: "1.0" });
  return lines(`curl -N ${quote(url)}`, [AUTH, "-H 'Accept: text/event-stream'", ...(cursor ? [`-H ${quote(`Last-Event-ID: ${cursor}`)}`] : [])]);
}

/** The request that answers all open questions, each with the recommendation, or else with a fitting value. */
export function resumeCurl(root: string, agent: string, thread: string, interrupts: readonly Interrupt[]): string {
  const resume = interrupts.map((interrupt) => {
    const { recommendation, options } = cardOf(interrupt);
    const option = recommendation ?? options?.[0];
    const payload = option === undefined ? exampleOf(interrupt.responseSchema) : pick(option, interrupt.responseSchema);
    return { interruptId: interrupt.id, status: "resolved", payload };
  });
  return lines(`curl ${quote(root + threadPath(thread, agent, "resume"))}`, [
    AUTH,
    "-H 'Content-Type: application/json'",
    `--data-raw ${quote(stringify({ resume }))}`,
  ]);
}

/** A word of a POSIX shell: nothing in single quotes means anything but the single quote. */
export function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

function lines(command: string, options: string[]): string {
  return [command, ...options].join(" \\\n  ");
}
