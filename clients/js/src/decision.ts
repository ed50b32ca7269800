// What a person has decided about a call of a tool but not sent, and the answer it adds up to.

import { checked, type Problem } from "./form/check.ts";
import { hasExact, mayBeRounded, stringify } from "./form/exact.ts";
import type { Approval } from "./approval.ts";
import { isSchema } from "./schema.ts";
import type { ApprovalScope } from "./types.ts";
import { type Change, changesOf } from "./changes.ts";

export interface Decision {
  /** Absent while nothing is decided. */
  approved?: boolean | undefined;
  /** The value of the arguments' form; absent before an edit. */
  edited?: { value: unknown } | undefined;
  /** The form is open. */
  editing?: boolean;
  reason?: string;
  /** For which later calls the approval counts, too. */
  remember?: ApprovalScope | undefined;
}

export const MAX_REASON = 1000;
const MAX_ARGUMENTS = 16 * 1024;

export interface Edited {
  arguments: unknown;
  changes: Change[];
  problems: Problem[];
}

/** The edited arguments, and their problems; undefined before an edit. */
export function editedOf({ schema, arguments: given }: Approval, { edited }: Decision): Edited | undefined {
  if (!edited || !schema || !isSchema(given)) return undefined;
  const { payload, problems } = checked(schema, edited.value);
  if (problems.length > 0) return { arguments: payload, changes: isSchema(payload) ? changesOf(given, payload) : [], problems };
  if (!isSchema(payload)) return { arguments: payload, changes: [], problems: [{ path: "", text: "Arguments are an object." }] };
  const long = new TextEncoder().encode(stringify(payload)).length > MAX_ARGUMENTS;
  return { arguments: payload, changes: changesOf(given, payload), problems: long ? [{ path: "", text: "At most 16 KiB of arguments can be sent." }] : [] };
}

/** The answer that a decision makes; undefined while there is none, or while edited arguments do not fit. */
export function answerOfDecision(approval: Approval, decision: Decision): { payload: unknown } | undefined {
  if (decision.approved === undefined) return undefined;
  const reason = decision.reason?.trim() ?? "";
  const told = { approved: decision.approved, ...(reason !== "" && { reason }) };
  if (!decision.approved) return { payload: told };
  const edited = editedOf(approval, decision);
  if (edited && edited.problems.length > 0) return undefined;
  if (edited && edited.changes.length > 0) {
    const payload = { ...told, editedArgs: edited.arguments }; // only for this call
    // In JSON that a browser sends, the gateway takes a number that is rounded for the one that it asked about. A text is taken as it is.
    return { payload: hasExact(payload) || mayBeRounded(payload) ? stringify(payload) : payload };
  }
  return { payload: { ...told, ...(decision.remember && { remember: decision.remember }) } };
}
