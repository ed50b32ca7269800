// Where in the log something was said, called or asked, and what belongs to a run.

import type { AguiEvent, Message, SeenEvent, Step } from "../gateway/types";
import type { Selection } from "../selection";
import type { Row } from "./rows";

/** What an event is about. */
export function markOf(event: AguiEvent): Pick<Selection, "messageId" | "toolCallId" | "subagentRunId"> {
  const { messageId, toolCallId, parentMessageId, subagentRunId } = event as { messageId?: string; toolCallId?: string; parentMessageId?: string; subagentRunId?: string };
  return { messageId: messageId ?? parentMessageId, toolCallId, subagentRunId };
}

/** The row at the beginning of the selection, or the one with the event id of a link. */
export function rowOf(rows: readonly Row[], selection: Selection | undefined, linked: string | undefined): Row | undefined {
  if (selection?.row !== undefined) return rows.find(({ key }) => key === selection.row);
  if (selection) return rows.find(({ events: [seen] }) => seen && begins(seen.event, selection)) ?? rows.find(({ events: [seen] }) => seen && isInput(seen.event, selection.messageId));
  return linked === undefined ? undefined : rows.find(({ events }) => events.some(({ id }) => id === linked));
}

function begins(event: AguiEvent, { messageId, toolCallId, interruptId, subagentRunId }: Selection): boolean {
  if (event.type === "MESSAGES_SNAPSHOT") return false;
  if (toolCallId !== undefined) return "toolCallId" in event && event.toolCallId === toolCallId;
  if (interruptId !== undefined) return event.type === "RUN_FINISHED" && event.outcome?.type === "interrupt" && event.outcome.interrupts.some(({ id }) => id === interruptId);
  if (messageId !== undefined) return "messageId" in event && event.messageId === messageId;
  return subagentRunId !== undefined && event.subagentRunId === subagentRunId;
}

const isInput = (event: AguiEvent, messageId: string | undefined) => messageId !== undefined && inputOf(event)?.id === messageId;

/** The user message that a run was started with, if an event tells it: its first one, or the snapshot of the messages behind that. */
export function inputOf(event: AguiEvent): Message | undefined {
  if (event.type === "RUN_STARTED") return event.input?.messages?.findLast(({ role }) => role === "user");
  const last = event.type === "MESSAGES_SNAPSHOT" ? event.messages.at(-1) : undefined;
  return last?.role === "user" ? last : undefined; // answers begin another run
}

/** What each run was started with, by its id: an answer to a question and the result of a call begin runs without a message. */
export function inputsOf(events: readonly SeenEvent[]): Map<string, Message> {
  const inputs = new Map<string, Message>();
  let run: string | undefined;
  for (const { event } of events) {
    if (event.type === "RUN_STARTED") run = event.runId;
    const input = run !== undefined && !inputs.has(run) ? inputOf(event) : undefined;
    if (run !== undefined && input) inputs.set(run, input);
  }
  return inputs;
}

/** The id of the run in which something was said, called or asked. */
export function runOf(events: readonly SeenEvent[], selection: Selection): string | undefined {
  let run: string | undefined;
  for (const { event } of events) {
    if (event.type === "RUN_STARTED") run = event.runId;
    if (isInput(event, selection.messageId) || begins(event, selection)) return run;
  }
  return undefined;
}

/** The events of a run, from its first to its last; a run that was tried again has all of them. */
export function eventsOf(events: readonly SeenEvent[], runId: string): SeenEvent[] {
  let within = false;
  return events.filter(({ event }) => {
    if (event.type === "RUN_STARTED") within = event.runId === runId;
    return within;
  });
}

/** The last message of those that a run's events tell of, which are known in the conversation. */
export function lastMessageOf(events: readonly SeenEvent[], known: readonly Message[]): string | undefined {
  const ids = new Set(known.map(({ id }) => id));
  let last: string | undefined;
  for (const { event } of events) {
    const id = inputOf(event)?.id ?? (event.type.startsWith("TEXT_MESSAGE") || event.type === "TOOL_CALL_RESULT" ? markOf(event).messageId : undefined);
    if (id !== undefined && ids.has(id)) last = id;
  }
  return last;
}

/** Who began to say a message, and when: what its step is found by, where that does not name the message. */
export interface Said {
  messageId: string;
  subagentRunId?: string | undefined;
  name?: string | undefined;
  time?: number | undefined;
}

/** The messages that a run's events begin, in their order. */
export function saidIn(events: readonly SeenEvent[]): Said[] {
  const said: Said[] = [];
  let step: string | undefined;
  for (const { event } of events) {
    if (event.type === "STEP_STARTED" && !event.subagentRunId) step = event.stepName;
    if (event.type !== "TEXT_MESSAGE_START") continue;
    said.push({ messageId: event.messageId, subagentRunId: event.subagentRunId, name: event.name ?? step, time: event.timestamp });
  }
  return said;
}

/** The step in which a message was said: the turn of its speaker, or the supervisor's last choice before it. */
export function stepSaying(steps: readonly Step[], said: Said): Step | undefined {
  const { subagentRunId, name, time = Infinity } = said;
  if (subagentRunId !== undefined) return steps.find((step) => step.kind === "turn" && step.subagentRunId === subagentRunId);
  return steps.findLast((step) => (step.kind === "choice" || step.kind === "turn") && step.name === name && step.start <= time) ?? steps.findLast(({ kind }) => kind === "run");
}

/** The first message that was said in a step. */
export function saidAt(steps: readonly Step[], step: Step, said: readonly Said[]): string | undefined {
  if (step.messageId !== undefined) return step.messageId;
  return said.find((one) => stepSaying(steps, one)?.id === step.id)?.messageId;
}
