import type { Interrupt } from "../gateway/types";

/**
 * The questions to be shown, and those that can still be answered. One that has expired stays where it is while others are open, so
 * that nothing moves under the pointer.
 */
export function standing(asked: readonly Interrupt[], open: readonly Interrupt[], expired: ReadonlySet<string>): { questions: Interrupt[]; live: Interrupt[] } {
  const known = open.filter(({ id }) => expired.has(id) || asked.some((question) => question.id === id));
  const questions = [...known, ...asked.filter((question) => !known.some(({ id }) => id === question.id))];
  return { questions, live: questions.filter(({ id }) => !expired.has(id)) };
}
