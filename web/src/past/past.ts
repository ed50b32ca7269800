// What happened in a conversation beside its messages: the turns that failed, and the questions that were answered. Each stands
// behind a message.

import { optionsOf } from "client/draft";
import { same } from "client/facts";
import { decidedOf } from "client/approval";
import { cardOf } from "client/card";
import { isSchema, pick } from "client/schema";
import type { AnsweredQuestion, Interrupt, Run, Thread } from "../gateway/types";
import type { View } from "../gateway/view";

export type NumberedRun = Run & { number: number };

/** The items after a message. */
export interface Behind {
  failed: NumberedRun[];
  /** Runs that were stopped, that ended without a message, or that failed before their turn ran again and left words. */
  marks: Mark[];
  answered: AnsweredQuestion[];
}

export interface Mark {
  kind: "stopped" | "retried" | "silent";
  run: NumberedRun;
}

export interface Past {
  /** By the message's id. */
  behind: ReadonlyMap<string, Behind>;
  /** The newest run, if it failed: the end of the conversation says so. */
  newest: NumberedRun | undefined;
}

export const nothing: Past = { behind: new Map(), newest: undefined };

/** Where the past of a thread stands. results are those of its calls. */
export function placed({ runs, answers = [] }: Pick<Thread, "runs" | "answers">, results: View["results"]): Past {
  const behind = new Map<string, Behind>();
  const at = (id: string) => {
    let there = behind.get(id);
    if (!there) behind.set(id, (there = { failed: [], marks: [], answered: [] }));
    return there;
  };
  const numbered = runs.filter((run): run is NumberedRun => run.number !== undefined);
  for (const [i, run] of [...numbered.entries()].reverse()) {
    // What an older gateway has written does not tell whether its turn ran again.
    if (run.afterMessageId === undefined) continue;
    const where = run.lastMessageId ?? run.afterMessageId;
    // A run that began where this one began, or where it ended, had no new input.
    const ranAgain = numbered.slice(0, i).some(({ afterMessageId }) => afterMessageId === run.afterMessageId || afterMessageId === where);
    const spoke = run.lastMessageId !== undefined && run.lastMessageId !== run.afterMessageId;
    if (run.status === "cancelled" && (spoke || !ranAgain)) at(where).marks.push({ kind: "stopped", run });
    else if (run.status === "error" && ranAgain && spoke) at(where).marks.push({ kind: "retried", run });
    else if (run.status === "error" && !ranAgain && i > 0) at(where).failed.push(run);
    else if (run.status === "success" && !spoke && !ranAgain) at(where).marks.push({ kind: "silent", run });
  }
  for (const answer of answers) {
    if (!isDecision(answer.interrupt, results)) at(answer.afterMessageId).answered.push(answer);
  }
  return { behind, newest: numbered[0]?.status === "error" ? numbered[0] : undefined };
}

/** Whether a question was about a call that is shown with its decision. */
function isDecision(interrupt: Interrupt, results: View["results"]): boolean {
  const { toolCallId, metadata } = interrupt;
  if (toolCallId === undefined) return false;
  return typeof (metadata?.value as { tool?: unknown } | undefined)?.tool === "string" || decidedOf(results.get(toolCallId)?.metadata) !== undefined;
}

/** What a question offered, and the place of the option that was chosen, -1 if none of them was. */
export function offered({ interrupt, payload }: Pick<AnsweredQuestion, "interrupt" | "payload">): { options: unknown[]; chosen: number } {
  const options = optionsOf(interrupt);
  const given = lone(payload);
  const chosen = options.findIndex((option) => [payload, given].some((answer) => same(pick(option, interrupt.responseSchema), answer) || same(option, answer)));
  return { options, chosen: payload === undefined ? -1 : chosen };
}

/** The value of an answer that has but one member. */
export function lone(payload: unknown): unknown {
  const values = isSchema(payload) ? Object.values(payload) : [];
  return values.length === 1 ? values[0] : payload;
}

const FILE = /^data:([^;,]*)[^,]*;base64,/;

/** An answer as it is shown: without contents of files. */
export function readable(value: unknown): unknown {
  if (typeof value === "string") {
    const file = FILE.exec(value);
    return file ? `a file (${file[1] || "of no type"}, ${Math.ceil((value.length * 3) / 4096)} KB)` : value;
  }
  if (Array.isArray(value)) return value.map(readable);
  return isSchema(value) ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, readable(inner)])) : value;
}

/** What a question asked. */
export const asks = (interrupt: Interrupt): string => cardOf(interrupt).message ?? interrupt.message ?? "A question";
