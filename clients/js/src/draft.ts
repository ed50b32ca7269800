// What a person has filled in of an open question, and the answer it adds up to. The answer is read off the draft when it is
// sent and kept nowhere else, so that earlier changes and deleted words are not in it.

import { checked } from "./form/check.ts";
import { schemaOf } from "./form/schema.ts";
import { approvalOf } from "./approval.ts";
import { cardOf } from "./card.ts";
import { choicesOf, firstOf, isSchema, pick, requiredOf, type Schema, typeOf } from "./schema.ts";
import type { Interrupt } from "./types.ts";
import { answerOfDecision, type Decision } from "./decision.ts";

export interface Draft {
  /** The place of the option that was picked. */
  option?: number;
  /** What the form of a question without options holds. */
  value?: unknown;
  /** The decision about a call of a tool. */
  decision?: Decision;
}

export const emptyDraft: Draft = {};

/** What a question offers: the options of its card, else the values that a schema of one member allows. */
export function optionsOf(question: Interrupt): unknown[] {
  const { options } = cardOf(question);
  if (Array.isArray(options) && options.length > 0) return options;
  const one = loneOf(question.responseSchema);
  return one ? choicesOf(one) : [];
}

/** Whether an answer is a yes or a no and nothing else. */
export function decidesAlone(schema: unknown): boolean {
  const one = loneOf(schema);
  return one !== undefined && typeOf(one) === "boolean";
}

/** The schema of the value itself, or of the one member that an answer has to have. */
function loneOf(schema: unknown): Schema | undefined {
  if (!isSchema(schema)) return undefined;
  const whole = firstOf(schema);
  const properties = isSchema(whole["properties"]) ? Object.entries(whole["properties"]) : [];
  if (properties.length === 0) return whole;
  const [[key, member]] = properties as [[string, unknown]];
  return properties.length === 1 && requiredOf(whole).includes(key) && isSchema(member) ? firstOf(member) : undefined;
}

/** The answer that a draft makes; undefined while something is missing or does not fit. */
export function answerOf(question: Interrupt, draft: Draft): { payload: unknown } | undefined {
  const approval = approvalOf(question);
  if (approval) return answerOfDecision(approval, draft.decision ?? {});
  const options = optionsOf(question);
  if (options.length > 0) {
    return draft.option === undefined ? undefined : { payload: pick(options[draft.option], question.responseSchema) };
  }
  const { payload, problems } = checked(schemaOf(question), draft.value);
  return problems.length > 0 ? undefined : { payload };
}
