// A question and what a person chose for it, as the cards and the panel around them pass them on.

import type { Interrupt } from "../gateway/types";

export type Asked = Interrupt;

/** What a person chose for one question. */
export interface Answer {
  payload: unknown;
  /** The option's place, if it was one. */
  option?: number;
}
