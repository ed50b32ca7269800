import { expect, test } from "vitest";
import type { AnsweredQuestion, Interrupt, Run, RunStatus } from "../gateway/types";
import { asks, offered, placed, readable } from "./past";

const run = (number: number, status: RunStatus, afterMessageId?: string, lastMessageId?: string): Run => ({
  runId: `r${number}`, number, status, startedAt: "2026-05-01T12:00:00.000Z", ...(afterMessageId && { afterMessageId }), ...(lastMessageId && { lastMessageId }),
});
/** Which runs that failed stand where; runs are given oldest first. */
const failed = (...runs: Run[]) => {
  const { behind, newest } = placed({ runs: runs.reverse() }, new Map());
  return [Object.fromEntries([...behind].flatMap(([id, { failed }]) => (failed.length > 0 ? [[id, failed.map(({ number }) => number)]] : []))), newest?.number];
};

test("an earlier run that failed stands behind its last message, or behind the one it began with", () => {
  expect(failed(run(1, "error", "u1"), run(2, "success", "u2"))).toEqual([{ u1: [1] }, undefined]);
  expect(failed(run(1, "error", "u1", "a1"), run(2, "error", "u2", "a2"), run(3, "success", "u3"))).toEqual([{ a1: [1], a2: [2] }, undefined]);
  expect(failed(run(1, "cancelled", "u1"), run(2, "interrupt", "u2"), run(3, "success", "u3"))).toEqual([{}, undefined]);
});

test("the newest run that failed is left to the end of the conversation", () => {
  expect(failed(run(1, "error", "u1"), run(2, "error", "u2"))).toEqual([{ u1: [1] }, 2]);
  expect(failed(run(1, "error", "u1"), run(2, "running", "u2"))).toEqual([{ u1: [1] }, undefined]);
});

test("a failure is not shown once its turn ran again, whatever came of that", () => {
  expect(failed(run(1, "error", "u1"), run(2, "success", "u1", "a1"))).toEqual([{}, undefined]);
  expect(failed(run(1, "error", "u1", "a1"), run(2, "error", "a1", "b1"), run(3, "success", "u2"))).toEqual([{ b1: [2] }, undefined]);
  expect(failed(run(1, "interrupt", "u1", "a1"), run(2, "error", "a1"), run(3, "error", "a1"), run(4, "success", "u2"))).toEqual([{ a1: [3] }, undefined]);
});

test("a run that was stopped, tried again or silent has a mark", () => {
  const marked = (...runs: Run[]) => [...placed({ runs: runs.reverse() }, new Map()).behind].flatMap(([id, { marks }]) => marks.map(({ kind, run }) => `${id} ${kind} ${run.number}`)).join();
  expect(marked(run(1, "cancelled", "u1", "a1"), run(2, "success", "u2", "a2"))).toBe("a1 stopped 1");
  expect(marked(run(1, "cancelled", "u1"))).toBe("u1 stopped 1");
  expect(marked(run(1, "cancelled", "u1"), run(2, "success", "u1", "a1"))).toBe("");
  expect(marked(run(1, "error", "u1", "a1"), run(2, "success", "u1", "a2"))).toBe("a1 retried 1");
  expect(marked(run(1, "error", "u1"), run(2, "success", "u1", "a2"))).toBe("");
  expect(marked(run(1, "success", "u1"), run(2, "interrupt", "u2"), run(3, "running", "u3"))).toBe("u1 silent 1");
  expect(marked(run(1, "success", "u1", "u1"), run(2, "cancelled", "u2", "u2"))).toBe("u1 silent 1,u2 stopped 2");
});

test("runs of an older gateway, which do not say where they stand, are left out", () => {
  expect(failed(run(1, "error", undefined, "a1"), run(2, "success"))).toEqual([{}, undefined]);
  const { number: _, ...unnumbered } = run(1, "error", "u1");
  expect(failed(unnumbered, run(2, "success", "u2"))).toEqual([{}, undefined]);
});

const answered = (interrupt: Partial<Interrupt>, more: Partial<AnsweredQuestion> = {}): AnsweredQuestion => ({
  interrupt: { id: "q", reason: "input_required", ...interrupt }, status: "resolved", answeredAt: "2026-05-01T12:00:00.000Z", afterMessageId: "a1", ...more,
});

test("answered questions stand in their order behind the message they were asked after", () => {
  const answers = [answered({ id: "q1" }), answered({ id: "q2" }), answered({ id: "q3" }, { afterMessageId: "a2" })];
  const { behind } = placed({ runs: [], answers }, new Map());
  expect([...behind].map(([id, { answered }]) => [id, ...answered.map(({ interrupt }) => interrupt.id)])).toEqual([["a1", "q1", "q2"], ["a2", "q3"]]);
});

test("a decision about a call that is shown with the call is not shown twice", () => {
  const call = { toolCallId: "c1" };
  const shown = (interrupt: Partial<Interrupt>, metadata?: Record<string, unknown>) =>
    placed({ runs: [], answers: [answered(interrupt)] }, new Map(metadata && [["c1", { messageId: "m1", content: "", metadata }]])).behind.size > 0;
  expect(shown({ ...call, metadata: { value: { tool: "refund", message: "May I?" } as never } })).toBe(false);
  expect(shown(call, { approval: { decision: "approved" } })).toBe(false);
  expect([shown(call), shown(call, { failed: true }), shown({ metadata: { value: { tool: "refund" } as never } })]).toEqual([true, true, true]);
});

test("the option that was chosen is found in every form that an answer may have", () => {
  const hotels = [{ name: "Zoe", price: 120 }, { name: "Abba", price: 90 }];
  const enumerated = { type: "object", required: ["value"], properties: { value: { enum: ["S", "M"] } } };
  expect(offered(answered({ metadata: { value: { options: hotels } } }, { payload: { price: 90, name: "Abba" } }))).toEqual({ options: hotels, chosen: 1 });
  expect(offered(answered({ responseSchema: enumerated, metadata: { value: { options: ["S", "M"] } } }, { payload: { value: "M" } })).chosen).toBe(1);
  expect(offered(answered({ responseSchema: enumerated }, { payload: { value: "S" } }))).toEqual({ options: ["S", "M"], chosen: 0 });
  expect(offered(answered({ metadata: { value: { options: ["S", "M"] } } }, { payload: "M" })).chosen).toBe(1);
  expect(offered(answered({ metadata: { value: { options: ["S", "M"] } } }, { payload: "XL" })).chosen).toBe(-1);
  expect(offered(answered({ metadata: { value: { options: ["S"] } } }, { status: "cancelled" })).chosen).toBe(-1);
});

test("what is in a file that somebody answered with is not shown", () => {
  const file = `data:application/pdf;base64,${"A".repeat(8192)}`;
  expect(readable({ note: "Hi", files: [file], size: 3, none: null })).toEqual({ note: "Hi", files: ["a file (application/pdf, 7 KB)"], size: 3, none: null });
});

test("a question asks what its card says, else what it says itself", () => {
  expect(asks(answered({ message: "Well?", metadata: { value: { message: "Which size?" } } }).interrupt)).toBe("Which size?");
  expect(asks(answered({ message: "Well?" }).interrupt)).toBe("Well?");
  expect(asks(answered({}).interrupt)).toBe("A question");
});
