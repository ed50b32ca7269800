import { expect, test } from "vitest";
import type { Interrupt } from "../gateway/types";
import { standing } from "./standing";

const ask = (id: string, more: Partial<Interrupt> = {}): Interrupt => ({ id, reason: "input_required", ...more });
const ids = (questions: Interrupt[]) => questions.map(({ id }) => id).join();

test.each([
  ["all that are asked", ["p", "q"], ["p", "q"], [], "p,q", "p,q"],
  ["one that has expired, in its place", ["p", "q"], ["p", "q"], ["p"], "p,q", "q"],
  ["one that has expired, also where the client has dropped it", ["q"], ["p", "q"], ["p"], "p,q", "q"],
  ["none that is answered", ["q"], ["p", "q"], [], "q", "q"],
  ["a question that the thread does not have yet", ["p", "q"], [], [], "p,q", "p,q"],
  ["all that have expired", ["p"], ["p"], ["p"], "p", ""],
])("%s", (_, asked, open, expired, questions, live) => {
  const shown = standing(asked.map((id) => ask(id)), open.map((id) => ask(id)), new Set(expired));
  expect([ids(shown.questions), ids(shown.live)]).toEqual([questions, live]);
});

test("a question is shown as the thread has it", () => expect(standing([ask("p", { message: "rounded" })], [ask("p", { message: "exact" })], new Set()).questions[0]?.message).toBe("exact"));
