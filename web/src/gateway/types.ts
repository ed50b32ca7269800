// The gateway's own shapes: what its routes answer (docs/reference/routes.md) and the AG-UI 1.0 events it streams.

import type { ApprovalScope, Interrupt, PatchOperation } from "client/types";
import type { Attachments } from "../files/rules";

export type { Answer, ApprovalScope, Interrupt, InterruptCard, PatchOperation } from "client/types";

/** What the gateway calls the state of a thread. */
export type ThreadStatus = "idle" | "running" | "interrupted" | "failed";

/** How a run ended, or that it has not. */
export type RunStatus = "running" | "success" | "interrupt" | "cancelled" | "error";

/** Who a request is from, and how the gateway knows: none, keys, jwt, header or custom. */
export interface Me {
  principal: { id: string; roles: string[] };
  auth: string;
}

export interface AgentInfo {
  id: string;
  description: string;
  /** Whether runs of it may end with a question. */
  interrupts: boolean;
  /** Whether a message is tried as the answer to the one open question. Absent from older gateways. */
  typedAnswers?: boolean;
  /** Which files it takes. Absent if it takes none, or if its author has not said. */
  attachments?: Attachments;
  participants: { name: string; description: string }[];
  /** Absent from older gateways. */
  team?: Team;
  /** Whether it suggests what people could say next. Absent from older gateways. */
  suggestions?: boolean;
  /** The JSON pointers at and below which the state may be written; "" is the whole state. Absent from older gateways. */
  writable?: string[];
}

/** What an agent is known to be able to do: AgentCapabilities of AG-UI 1.0. */
export interface Capabilities {
  tools?: { supported?: boolean; clientProvided?: boolean };
  reasoning?: { supported?: boolean };
  humanInTheLoop?: { interrupts?: boolean; approvals?: boolean; approveWithEdits?: boolean };
  multiAgent?: { handoffs?: boolean };
  custom?: Record<string, unknown>;
}

/** What an agent or a participant is made of, as far as that is known. */
export interface Team {
  name?: string;
  description?: string;
  /** chat, fan, model, remote or script. */
  kind?: string;
  /** How a chat chooses who speaks. */
  manager?: string;
  /** Who chooses; absent where the speakers do. */
  supervisor?: string;
  /** Who speaks first where the speakers choose. */
  start?: string;
  /** Those of its chat to whom a participant may hand over. */
  handsOverTo?: string[];
  participants?: Team[];
  more?: boolean;
}

export interface ThreadSummary {
  id: string;
  agent: string;
  status: ThreadStatus;
  title?: string;
  /** RFC 3339, UTC, as all times here. */
  createdAt: string;
  updatedAt: string;
  /** How many calls of a page's tools wait for a result. Absent if none does, and from older gateways. */
  waitingCalls?: number;
}

export interface ThreadPage {
  threads: ThreadSummary[];
  /** Absent on the last page. */
  nextCursor?: string;
}

export interface Run {
  runId: string;
  /** Counts the runs of the thread, from 1 on. */
  number?: number;
  parentRunId?: string;
  status: RunStatus;
  code?: string;
  /** The message of its failure. */
  message?: string;
  startedAt: string;
  endedAt?: string;
  /** The message that the conversation ended with when it began. Absent from older gateways. */
  afterMessageId?: string;
  /** The last message that it added, if it added any. */
  lastMessageId?: string;
}

/** A question that was answered, or is open no more. */
export interface AnsweredQuestion {
  interrupt: Interrupt;
  status: "resolved" | "cancelled" | "expired";
  /** The answer of one that was resolved. */
  payload?: unknown;
  askedAt?: string;
  answeredAt: string;
  /** The message that the conversation ended with when it was asked. */
  afterMessageId: string;
}

/** An approval that is remembered. */
export interface RememberedApproval {
  id: string;
  agent: string;
  /** The path in the team of who calls, where that is not the agent itself. */
  participant?: string;
  tool: string;
  scope: ApprovalScope;
  threadId?: string;
  createdAt: string;
  expiresAt: string;
}

export interface ToolCall {
  id: string;
  type: "function";
  function: { name: string; arguments: string };
}

export interface Message {
  id: string;
  role: string;
  content?: unknown;
  name?: string;
  toolCalls?: ToolCall[];
  toolCallId?: string;
  subagentRunId?: string;
  metadata?: Record<string, unknown>;
}

export interface TokenUsage {
  provider?: string;
  model?: string;
  inputTokens?: number;
  outputTokens?: number;
  totalTokens?: number;
  cachedInputTokens?: number;
  reasoningTokens?: number;
}

/** A step of a run: its kind, times and outcome. */
export interface Step {
  /** Unique within its run. */
  id: string;
  /** The step it is part of. */
  parent?: string;
  /** run, turn, choice, model, tool, remote, question or store; a newer gateway may know more. */
  kind: string;
  name?: string;
  /** Unix milliseconds by the gateway's clock, as all times of a trace. */
  start: number;
  /** Absent while it is live. */
  end?: number;
  /** Counts tries of the same, from 1 on. */
  attempt?: number;
  subagentRunId?: string;
  messageId?: string;
  toolCallId?: string;
  interruptId?: string;
  /** When a model said its first words. */
  firstToken?: number;
  provider?: string;
  model?: string;
  usage?: TokenUsage;
  /** In the currency of the prices that the gateway was given. */
  cost?: number;
  /** Why it failed. */
  code?: string;
}

/** GET /threads/{id}/runs/{number}/trace */
export interface Trace {
  threadId: string;
  runId: string;
  number: number;
  agent: string;
  status: RunStatus;
  code?: string;
  startedAt: number;
  endedAt?: number;
  usage?: TokenUsage[];
  cost?: number;
  steps: Step[];
  /** There were more steps than are kept. */
  more?: boolean;
}

export interface Thread extends ThreadSummary {
  state: unknown;
  messages: Message[];
  interrupts: Interrupt[];
  /** Oldest first. Absent if there are none, and from older gateways. */
  answers?: AnsweredQuestion[];
  openCalls: ToolCall[];
  /** Newest first. */
  runs: Run[];
  usage?: TokenUsage[];
}

export type Outcome =
  | { type: "success"; pendingToolCallIds?: string[] }
  | { type: "interrupt"; interrupts: Interrupt[] }
  | { type: "cancelled" };

/** The members that every event may have. */
interface Common {
  timestamp?: number;
  metadata?: Record<string, unknown>;
  rawEvent?: unknown;
  subagentRunId?: string;
}

type Is<T extends string, F = object> = { type: T } & F & Common;

/** The events this page looks into. */
type KnownEvent =
  | Is<"RUN_STARTED", { threadId: string; runId: string; parentRunId?: string; protocolVersion?: string; input?: { messages?: Message[] } }>
  | Is<"RUN_FINISHED", { threadId: string; runId: string; result?: unknown; outcome?: Outcome; usage?: TokenUsage[] }>
  | Is<"RUN_ERROR", { message: string; code?: string; usage?: TokenUsage[] }>
  | Is<"STEP_STARTED" | "STEP_FINISHED", { stepName: string }>
  | Is<"TEXT_MESSAGE_START", { messageId: string; role?: string; name?: string }>
  | Is<"TEXT_MESSAGE_CONTENT", { messageId: string; delta: string }>
  | Is<"TEXT_MESSAGE_END", { messageId: string }>
  | Is<"TEXT_MESSAGE_CHUNK", { messageId?: string; role?: string; name?: string; delta?: string }>
  | Is<"TOOL_CALL_START", { toolCallId: string; toolCallName: string; parentMessageId?: string }>
  | Is<"TOOL_CALL_ARGS", { toolCallId: string; delta: string }>
  | Is<"TOOL_CALL_END", { toolCallId: string }>
  | Is<"TOOL_CALL_CHUNK", { toolCallId?: string; toolCallName?: string; parentMessageId?: string; delta?: string }>
  | Is<"TOOL_CALL_RESULT", { messageId: string; toolCallId: string; content: unknown }>
  | Is<"STATE_SNAPSHOT", { snapshot: unknown }>
  | Is<"STATE_DELTA", { delta: PatchOperation[] }>
  | Is<"MESSAGES_SNAPSHOT", { messages: Message[] }>
  | Is<"ACTIVITY_SNAPSHOT", { messageId: string; activityType: string; content: unknown }>
  | Is<"ACTIVITY_DELTA", { messageId: string; activityType: string; patch: PatchOperation[] }>
  | Is<"REASONING_START" | "REASONING_END" | "REASONING_MESSAGE_START" | "REASONING_MESSAGE_END", { messageId: string }>
  | Is<"REASONING_MESSAGE_CONTENT", { messageId: string; delta: string }>
  | Is<"REASONING_MESSAGE_CHUNK", { messageId?: string; delta?: string }>
  | Is<"REASONING_ENCRYPTED_VALUE", { subtype: string; entityId: string }>
  | Is<"SUBAGENT_STARTED", { subagentRunId: string; name: string; description?: string; parentSubagentRunId?: string }>
  | Is<"SUBAGENT_FINISHED", { subagentRunId: string; result?: unknown; outcome?: { type: "success" | "suspended"; interruptIds?: string[] } }>
  | Is<"SUBAGENT_ERROR", { subagentRunId: string; message: string; code?: string }>
  | Is<"RAW", { event: unknown; source?: string }>
  | Is<"CUSTOM", { name: string; value: unknown }>;

/**
 * An event as it arrived. A newer gateway may send types that are not listed: code that looks at `type` ignores
 * unknown types.
 */
export type AguiEvent = KnownEvent;

/** An event with what the page knows about its arrival. */
export interface SeenEvent {
  /** Counts arrivals; a stable key. */
  n: number;
  event: AguiEvent;
  /** The SSE id, `<fence>-<seq>-<thread>`; the events of a prelude have none but for its last. */
  id?: string;
  /** When it arrived, Unix milliseconds. */
  at: number;
  /** Whether it belongs to a prelude and repeats what had happened before. */
  replay: boolean;
}
