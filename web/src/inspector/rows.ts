// The timeline's rows: one per event, but that the pieces of one text are one row.

import { stringify } from "client/form/exact";
import type { AguiEvent, Interrupt, SeenEvent } from "../gateway/types";

export const groups = ["lifecycle", "text", "tools", "state", "subagents", "custom"] as const;
export type Group = (typeof groups)[number];

export interface Row {
  /** Of the row's first event; stable while the row grows. */
  key: number;
  type: string;
  group: Group;
  /** Who the event is about: a specialist, the supervisor, or "" for the run itself. */
  who: string;
  summary: string;
  /** All of it; more than one for the pieces of a text. */
  events: readonly SeenEvent[];
  /** How many they are. */
  count: number;
  /** Unix milliseconds by the gateway's clock; absent where that is not known. */
  time?: number;
  /** Milliseconds since the run began, or since this page came to it; absent for earlier events. */
  offset?: number;
  /** A run begins here. */
  start: boolean;
  /** Part of a prelude. */
  replay: boolean;
}

const prefixes: readonly (readonly [string, Group])[] = [
  ["RUN_", "lifecycle"],
  ["STEP_", "lifecycle"],
  ["TEXT_", "text"],
  ["REASONING_", "text"],
  ["MESSAGES_", "text"],
  ["TOOL_", "tools"],
  ["STATE_", "state"],
  ["SUBAGENT_", "subagents"],
];

/** The group of a type. Unknown types, CUSTOM, RAW and activities are "custom". */
export function groupOf(type: string): Group {
  return prefixes.find(([prefix]) => type.startsWith(prefix))?.[1] ?? "custom";
}

// A row that may still grow, by pieces of the text it began with.
interface OpenRow extends Row {
  events: SeenEvent[];
}

/** The rows of events, oldest first. */
export function rowsOf(events: readonly SeenEvent[]): readonly Row[] {
  return new Rows().sync(events);
}

/** Rows that grow with the events: earlier rows are not computed again, so that all of a history costs what its events
 * do, however it comes.
 */
export class Rows {
  private rows: OpenRow[] = [];
  private names = new Names();
  private began: number | undefined;
  private first = Infinity; // the numbers of the first and the last event there are
  private last = -Infinity;

  /** The rows of these events: of those it was given last, some may be gone from the beginning, and others added at the end. */
  sync(events: readonly SeenEvent[]): readonly Row[] {
    const [first = Infinity, last = -Infinity] = [events[0]?.n, events.at(-1)?.n];
    if (first < this.first || last < this.last) this.clear();
    const known = this.last;
    this.trim(first);
    [this.first, this.last] = [first, last];
    const changed = new Set<number>();
    for (let i = firstBehind(events, known); i < events.length; i++) this.add(events[i]!, changed);
    // A row that has grown is another one to those who compare; its events are a list that only grows.
    for (const i of changed) this.rows[i] = { ...this.rows[i]!, count: this.rows[i]!.events.length, summary: summarize(this.rows[i]!.events) };
    return this.rows.slice();
  }

  private clear() {
    [this.rows, this.names, this.began, this.first, this.last] = [[], new Names(), undefined, Infinity, -Infinity];
  }

  private trim(first: number) {
    const gone = this.rows.findIndex(({ events }) => (events.at(-1)?.n ?? first) >= first);
    this.rows.splice(0, gone < 0 ? this.rows.length : gone);
  }

  private add(seen: SeenEvent, changed: Set<number>) {
    const { event } = seen;
    const who = this.names.see(event);
    const time = timeOf(seen);
    if (event.type === "RUN_STARTED") this.began = undefined;
    this.began ??= time;
    const piece = pieceOf(event);
    const open = piece === undefined ? -1 : mergeable(this.rows, piece, seen.replay);
    if (open >= 0) {
      this.rows[open]!.events.push(seen);
      changed.add(open);
      return;
    }
    const row: OpenRow = {
      key: seen.n,
      type: event.type,
      group: groupOf(event.type),
      who,
      summary: "",
      events: [seen],
      count: 1,
      start: event.type === "RUN_STARTED",
      replay: seen.replay,
    };
    if (time !== undefined) row.time = time;
    if (this.began !== undefined && time !== undefined) row.offset = time - this.began;
    changed.add(this.rows.push(row) - 1);
  }
}

// When it happened by the gateway's clock, or, if that does not say so, when it arrived; unknown for earlier events.
function timeOf({ event, at, replay }: SeenEvent): number | undefined {
  return event.timestamp ?? (replay || at === 0 ? undefined : at);
}

// The place of the first event behind a number: they are in the order of their numbers, and mostly few are new.
function firstBehind(events: readonly SeenEvent[], n: number): number {
  let i = events.length;
  while (i > 0 && events[i - 1]!.n > n) i--;
  return i;
}

export interface Filter {
  groups: ReadonlySet<Group>;
  /** Absent: everybody. */
  who?: string;
  /** Looked for in the whole event, whatever the case. */
  text: string;
}

export function filterRows(rows: readonly Row[], { groups, who, text }: Filter): Row[] {
  const wanted = text.trim().toLowerCase();
  return rows.filter(
    (row) =>
      groups.has(row.group) &&
      (who === undefined || row.who === who) &&
      (wanted === "" || row.summary.toLowerCase().includes(wanted) || row.events.some((e) => textOf(e.event).includes(wanted))),
  );
}

/** All speakers, in the order of their first event. */
export function participants(rows: readonly Row[]): string[] {
  return [...new Set(rows.map(({ who }) => who))].filter((who) => who !== "");
}

const texts = new WeakMap<AguiEvent, string>();
function textOf(event: AguiEvent): string {
  let text = texts.get(event);
  if (text === undefined) texts.set(event, (text = stringify(event).toLowerCase()));
  return text;
}

// The text that an event is a piece of, if it is one.
function pieceOf(event: AguiEvent): string | undefined {
  switch (event.type) {
    case "TEXT_MESSAGE_CONTENT":
    case "TEXT_MESSAGE_CHUNK":
    case "REASONING_MESSAGE_CONTENT":
    case "REASONING_MESSAGE_CHUNK":
      return `${event.type} ${event.messageId ?? ""}`;
    case "TOOL_CALL_ARGS":
    case "TOOL_CALL_CHUNK":
      return `${event.type} ${event.toolCallId ?? ""}`;
    default:
      return undefined;
  }
}

const MAX_SPEAKERS = 50; // who speak at the same time

// The index of the row that a piece continues: only pieces of concurrent messages may follow it.
function mergeable(rows: readonly OpenRow[], piece: string, replay: boolean): number {
  for (let i = rows.length - 1; i >= Math.max(0, rows.length - MAX_SPEAKERS); i--) {
    const row = rows[i];
    const of = row?.events[0] && pieceOf(row.events[0].event);
    if (!row || of === undefined || row.replay !== replay) return -1;
    if (of === piece) return i;
  }
  return -1;
}

// Speakers and their names, collected from the events.
class Names {
  private readonly runs = new Map<string, string>();
  private readonly messages = new Map<string, string>();
  private step = "";

  see(event: AguiEvent): string {
    if (event.type === "SUBAGENT_STARTED") this.runs.set(event.subagentRunId, event.name);
    if (event.type === "STEP_STARTED" && !event.subagentRunId) this.step = event.stepName;
    if (event.type === "RUN_STARTED") this.step = "";
    const who = this.who(event);
    if (event.type === "STEP_FINISHED" && event.stepName === this.step) this.step = "";
    return who;
  }

  private who(event: AguiEvent): string {
    if (event.subagentRunId) return this.runs.get(event.subagentRunId) ?? "a specialist";
    switch (event.type) {
      case "STEP_STARTED":
      case "STEP_FINISHED":
        return event.stepName;
      case "TEXT_MESSAGE_START":
        this.messages.set(event.messageId, event.name ?? this.step);
        return event.name ?? this.step;
      case "TEXT_MESSAGE_CONTENT":
      case "TEXT_MESSAGE_END":
        return this.messages.get(event.messageId) ?? this.step;
      case "RUN_STARTED":
      case "RUN_FINISHED":
      case "RUN_ERROR":
      case "MESSAGES_SNAPSHOT":
      case "STATE_SNAPSHOT":
        return "";
      default:
        return this.step; // the supervisor has a step and no subagent
    }
  }
}

function summarize(events: readonly SeenEvent[]): string {
  const event = events[0]?.event;
  return event ? short(describe(event, events)) : "";
}

function describe(event: AguiEvent, events: readonly SeenEvent[]): string {
  switch (event.type) {
    case "RUN_STARTED":
      return `run ${event.runId}`;
    case "RUN_FINISHED":
      return finish(event.outcome?.type ?? "success", event.outcome?.type === "interrupt" ? event.outcome.interrupts : []);
    case "RUN_ERROR":
      return event.code ? `${event.code}: ${event.message}` : event.message;
    case "STEP_STARTED":
    case "STEP_FINISHED":
      return event.stepName;
    case "TEXT_MESSAGE_START":
      return [event.role ?? "assistant", event.name].filter(Boolean).join(", ");
    case "TEXT_MESSAGE_END":
    case "REASONING_START":
    case "REASONING_MESSAGE_START":
    case "REASONING_MESSAGE_END":
    case "REASONING_END":
      return event.messageId;
    case "TEXT_MESSAGE_CONTENT":
    case "TEXT_MESSAGE_CHUNK":
    case "REASONING_MESSAGE_CONTENT":
    case "REASONING_MESSAGE_CHUNK":
    case "TOOL_CALL_ARGS":
    case "TOOL_CALL_CHUNK":
      return joined(events);
    case "TOOL_CALL_START":
      return event.toolCallName;
    case "TOOL_CALL_END":
      return event.toolCallId;
    case "TOOL_CALL_RESULT":
      return inline(event.content);
    case "STATE_SNAPSHOT":
      return inline(event.snapshot);
    case "STATE_DELTA":
      return event.delta.map(({ op, path }) => `${op} ${path}`).join(", ");
    case "MESSAGES_SNAPSHOT":
      return event.messages.length === 1 ? "1 message" : `${event.messages.length} messages`;
    case "SUBAGENT_STARTED":
      return event.description ? `${event.name}: ${event.description}` : event.name;
    case "SUBAGENT_FINISHED":
      return event.outcome?.type ?? "success";
    case "SUBAGENT_ERROR":
      return event.code ? `${event.code}: ${event.message}` : event.message;
    case "CUSTOM":
      return `${event.name} ${inline(event.value)}`;
    default: {
      const { type: _, subagentRunId: __, ...rest } = event;
      return inline(rest);
    }
  }
}

function finish(type: string, interrupts: readonly Interrupt[]): string {
  const questions = interrupts.map(({ message, reason }) => message ?? reason).join(" · ");
  return questions ? `${type}: ${questions}` : type;
}

// No more of a long text than is shown, and no more looked at than that takes.
function joined(events: readonly SeenEvent[]): string {
  let text = "";
  for (const { event } of events) {
    if (text.length > 2 * MAX_LENGTH) break;
    if ("delta" in event && typeof event.delta === "string") text += event.delta;
  }
  return text;
}

function inline(value: unknown): string {
  return typeof value === "string" ? value : stringify(value);
}

const MAX_LENGTH = 240;
function short(text: string): string {
  const line = text.slice(0, 4 * MAX_LENGTH).replace(/\s+/g, " ");
  return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH)}…` : line;
}
