// The gateway's shapes that cards and answers are made of (docs/questions.md, docs/approvals.md).

/** A question that waits for a person. Interrupts of @ag-ui/client fit. */
export interface Interrupt {
  id: string;
  reason: string;
  message?: string | undefined;
  toolCallId?: string | undefined;
  responseSchema?: Record<string, unknown> | undefined;
  expiresAt?: string | undefined;
  /** value is what the gateway's own agents put there; of others' it may be anything: `cardOf` looks. */
  metadata?: (Record<string, unknown> & { value?: InterruptCard }) | undefined;
  subagentRunId?: string | undefined;
}

/** What a person chooses from: metadata.value of the gateway's own agents. */
export interface InterruptCard {
  message?: string;
  options?: unknown[];
  recommendation?: unknown;
  agent?: string;
}

/** For which later calls an approval counts: those of the thread, or all of the person's with the agent. */
export type ApprovalScope = "thread" | "principal";

/** An answer to a question, or that there will be none: an item of `resume` of a run. */
export type Answer = { interruptId: string; status: "resolved"; payload: unknown } | { interruptId: string; status: "cancelled" };

/** Why an answer did not count, or a turn failed. */
export interface Reason {
  text: string;
  /** The contract's code, if there is one. */
  code?: string;
}

/** One operation of RFC 6902. */
export interface PatchOperation {
  op: "add" | "replace" | "remove" | "move" | "copy" | "test";
  path: string;
  from?: string;
  value?: unknown;
}
