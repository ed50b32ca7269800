// What a person has filled in of an open question, and the answer it adds up to. The answer is read off the draft when it is
// sent and kept nowhere else, so that what was changed or deleted before is not in it.

import { cardOf } from "../gateway/card";
import { pick } from "../gateway/schema";
import type { Interrupt } from "../gateway/types";
import { fieldsOf, payloadOf, problem } from "./answer";

export interface Draft {
  /** The place of the option that was picked. */
  option?: number;
  /** What the fields of a question without options hold, by their place. */
  values: Record<number, unknown>;
}

export const emptyDraft: Draft = { values: {} };

/** What a question offers: the options of its card, else the values that a schema of one member allows. */
export function optionsOf(question: Interrupt): unknown[] {
  const { options } = cardOf(question);
  if (Array.isArray(options) && options.length > 0) return options;
  const fields = fieldsOf(question.responseSchema);
  return fields.length === 1 && fields[0]!.kind === "choice" ? fields[0]!.choices : [];
}

/** The answer that a draft makes; undefined while something is missing or does not fit. */
export function answerOf(question: Interrupt, draft: Draft): { payload: unknown } | undefined {
  const options = optionsOf(question);
  if (options.length > 0) {
    return draft.option === undefined ? undefined : { payload: pick(options[draft.option], question.responseSchema) };
  }
  const fields = fieldsOf(question.responseSchema);
  if (fields.some((field, i) => problem(field, draft.values[i]) !== undefined)) return undefined;
  return { payload: payloadOf(fields, draft.values) };
}
