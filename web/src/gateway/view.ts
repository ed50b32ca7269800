// The view of a thread that its events add up to. Each event makes a new view; nothing is changed in place.

import { askerOf } from "client/card";
import { applyPatch, difference } from "client/patch";
import type { AguiEvent, Interrupt, Message, PatchOperation, RunStatus, Thread } from "./types";

/** One invocation of a specialist. */
export interface Specialist {
  /** The subagentRunId. The run that resumes a suspended invocation uses it again. */
  id: string;
  name: string;
  description?: string;
  /** The invocation this one is part of. */
  parent?: string;
  status: "running" | "suspended" | "finished" | "error";
  /** What went wrong, for people. */
  message?: string;
  /** Whether it belongs to the present run, or the last one if none is live. */
  current: boolean;
}

export interface Step {
  name: string;
  subagentRunId?: string;
  running: boolean;
}

export interface ViewRun {
  runId: string;
  status: RunStatus;
  code?: string;
  message?: string;
  /** It is known from a prelude, under an invented id if no run was live. */
  replay: boolean;
}

export interface Speaker {
  messageId: string;
  name?: string;
  subagentRunId?: string;
}

/** Why a run failed, in words for people. */
export interface Failure {
  message: string;
  code?: string;
}

/** A CUSTOM event of the thread, such as gateway.refused {code, message}. */
export interface Notice {
  name: string;
  value: unknown;
}

/** The result of a call of a tool. */
export interface CallResult {
  /** The message that it is. */
  messageId: string;
  content: unknown;
  /** Has whether the call failed, and the decision about it: `decidedOf` reads it. */
  metadata?: Record<string, unknown> | undefined;
}

export interface View {
  /** Oldest first, the last 50. The last one is the present one. */
  runs: readonly ViewRun[];
  /** How many runs began while this page watched; preludes do not count. */
  runCount: number;
  /** The number of preludes. */
  replays: number;
  running: boolean;
  /** The speaker of the arriving text. */
  speaking: Speaker | undefined;
  specialists: readonly Specialist[];
  /** Those that were current before the present run. */
  before: readonly string[];
  /** Of the present run, or the last one. */
  steps: readonly Step[];
  messageIds: ReadonlySet<string>;
  /** The results of the conversation's calls, by the call's id. */
  results: ReadonlyMap<string, CallResult>;
  state: unknown;
  /** Counts the versions of the state. */
  revision: number;
  /** What the last change of the state did. */
  changes: readonly PatchOperation[];
  /** A change could not be applied: the state is not what the server has, until the next snapshot. */
  diverged: boolean;
  interrupts: readonly Interrupt[];
  /** Why the last run failed; absent if it did not, or if another one has begun. */
  failure: Failure | undefined;
  /** Of the present run, or the last one. */
  notices: readonly Notice[];
}

export const emptyView: View = {
  runs: [],
  runCount: 0,
  replays: 0,
  running: false,
  speaking: undefined,
  specialists: [],
  before: [],
  steps: [],
  messageIds: new Set(),
  results: new Map(),
  state: {},
  revision: 0,
  changes: [],
  diverged: false,
  interrupts: [],
  failure: undefined,
  notices: [],
};

const MAX_RUNS = 50;
const MOST_SPECIALISTS = 100;

/** The view after one more event. replay: it is part of a prelude. */
export function reduce(view: View, event: AguiEvent, replay = false): View {
  switch (event.type) {
    case "RUN_STARTED":
      return start(view, event.runId, event.input?.messages ?? [], replay);
    case "RUN_FINISHED": {
      const outcome = event.outcome ?? { type: "success" };
      const ended = end(view, { status: outcome.type });
      return outcome.type === "interrupt" ? ask(askedAgain(ended, outcome.interrupts), outcome.interrupts) : ended;
    }
    case "RUN_ERROR":
      return {
        ...end(view, { status: "error", code: event.code, message: event.message }),
        failure: { message: event.message, code: event.code },
      };
    case "STEP_STARTED":
      return { ...view, steps: [...view.steps, { name: event.stepName, subagentRunId: event.subagentRunId, running: true }] };
    case "STEP_FINISHED":
      return {
        ...view,
        steps: view.steps.map((s) =>
          s.running && s.name === event.stepName && s.subagentRunId === event.subagentRunId ? { ...s, running: false } : s,
        ),
      };
    case "TEXT_MESSAGE_START":
      return {
        ...withMessage(view, event.messageId),
        speaking: { messageId: event.messageId, name: event.name ?? nameOf(view, event.subagentRunId), subagentRunId: event.subagentRunId },
      };
    case "TEXT_MESSAGE_END":
      return view.speaking?.messageId === event.messageId ? { ...view, speaking: undefined } : view;
    case "TOOL_CALL_START":
      return withMessage(view, event.parentMessageId ?? event.toolCallId);
    case "TOOL_CALL_RESULT":
      return {
        ...withMessage(view, event.messageId),
        results: new Map(view.results).set(event.toolCallId, { messageId: event.messageId, content: event.content, metadata: event.metadata }),
      };
    case "REASONING_MESSAGE_START":
    case "ACTIVITY_SNAPSHOT":
      return withMessage(view, event.messageId);
    case "MESSAGES_SNAPSHOT":
      return { ...view, messageIds: new Set(event.messages.map(({ id }) => id)), results: resultsIn(event.messages) };
    case "STATE_SNAPSHOT":
      return changed(view, event.snapshot, difference(view.state, event.snapshot), false);
    case "STATE_DELTA":
      try {
        return changed(view, applyPatch(view.state, event.delta), event.delta, view.diverged);
      } catch {
        return { ...view, diverged: true };
      }
    case "SUBAGENT_STARTED":
      return withSpecialist(view, {
        id: event.subagentRunId,
        name: event.name,
        description: event.description,
        parent: event.parentSubagentRunId,
        status: "running",
        current: true,
      });
    case "SUBAGENT_FINISHED":
      return settle(view, event.subagentRunId, { status: event.outcome?.type === "suspended" ? "suspended" : "finished" });
    case "SUBAGENT_ERROR":
      return settle(view, event.subagentRunId, { status: "error", message: event.message });
    case "CUSTOM":
      return { ...view, notices: [...view.notices, { name: event.name, value: event.value }] };
    default:
      return view;
  }
}

/** Adds to the view what only the thread's own document has: the open questions, and why its last run failed. */
export function know(view: View, { interrupts, runs }: Pick<Thread, "interrupts" | "runs">): View {
  const [last] = runs;
  const failure = last?.status === "error" ? { message: last.message ?? "The run failed.", code: last.code } : undefined;
  return { ...ask(view, interrupts), failure };
}

/** The team keeps its status after a run that asks the same question again and in which no specialist worked. */
function askedAgain(view: View, interrupts: readonly Interrupt[]): View {
  const again = interrupts.some(({ subagentRunId }) => subagentRunId !== undefined && view.before.includes(subagentRunId));
  if (!again || view.specialists.some(({ current }) => current)) return view;
  return { ...view, specialists: view.specialists.map((s) => (view.before.includes(s.id) ? { ...s, current: true } : s)) };
}

function ask(view: View, interrupts: readonly Interrupt[]): View {
  let next: View = { ...view, interrupts };
  for (const interrupt of interrupts) {
    const { subagentRunId } = interrupt;
    // A prelude does not announce the agent that asks.
    if (!subagentRunId || view.specialists.some(({ id }) => id === subagentRunId)) continue;
    const name = askerOf(interrupt);
    if (name !== "") next = withSpecialist(next, { id: subagentRunId, name, status: "suspended", current: true });
  }
  return next;
}

/** The view of a thread that the gateway does not know, or no longer knows: no run and no question. */
export function forgotten(view: View): View {
  const ended = view.running ? end(view, { status: "error", code: "run_lost" }) : view;
  return ended.interrupts.length > 0 ? { ...ended, interrupts: [] } : ended;
}

function start(view: View, runId: string, input: readonly { id: string }[], replay: boolean): View {
  // A start within a run: the end of that run has not arrived, and a prelude follows.
  const restarted = replay || view.running;
  let next: View = {
    ...view,
    runs: [...view.runs, { runId, status: "running" as const, replay: restarted }].slice(-MAX_RUNS),
    runCount: view.runCount + (restarted ? 0 : 1),
    replays: view.replays + (restarted ? 1 : 0),
    running: true,
    speaking: undefined,
    specialists: view.specialists.filter((s) => s.status !== "running").map((s) => (s.current ? { ...s, current: false } : s)),
    before: view.specialists.flatMap(({ id, current }) => (current ? [id] : [])),
    steps: [],
    interrupts: [],
    failure: undefined,
    notices: [],
  };
  const last = view.runs.at(-1);
  if (restarted && last?.status === "running") {
    // The same id again is the same run.
    const before = last.runId === runId ? view.runs.slice(0, -1) : view.runs;
    next = { ...next, runs: [...before, { runId, status: "running" as const, replay: last.replay }].slice(-MAX_RUNS) };
  }
  for (const { id } of input) next = withMessage(next, id);
  return next;
}

function end(view: View, how: { status: RunStatus; code?: string; message?: string }): View {
  const last = view.runs.at(-1);
  return {
    ...view,
    runs: last ? [...view.runs.slice(0, -1), { ...last, ...how }] : view.runs,
    running: false,
    speaking: undefined,
    // Only an error ends a run with anything open.
    specialists: view.specialists.map((s) => (s.status === "running" ? { ...s, status: "error" as const } : s)),
    steps: view.steps.map((s) => (s.running ? { ...s, running: false } : s)),
  };
}

function changed(view: View, state: unknown, changes: readonly PatchOperation[], diverged: boolean): View {
  return { ...view, state, changes, diverged, revision: view.revision + 1 };
}

function resultsIn(messages: readonly Message[]): View["results"] {
  const results = new Map<string, CallResult>();
  for (const { id, role, toolCallId, content, metadata } of messages) {
    if (role === "tool" && toolCallId !== undefined) results.set(toolCallId, { messageId: id, content, metadata });
  }
  return results;
}

function withMessage(view: View, id: string): View {
  return view.messageIds.has(id) ? view : { ...view, messageIds: new Set(view.messageIds).add(id) };
}

function withSpecialist(view: View, specialist: Specialist): View {
  const others = view.specialists.filter(({ id }) => id !== specialist.id);
  return { ...view, specialists: [...others, specialist].slice(-MOST_SPECIALISTS) };
}

function settle(view: View, id: string, how: Partial<Specialist>): View {
  return { ...view, specialists: view.specialists.map((s) => (s.id === id ? { ...s, ...how } : s)) };
}

function nameOf(view: View, id: string | undefined): string | undefined {
  return view.specialists.find((s) => s.id === id)?.name;
}
