import { expect, test } from "vitest";
import type { AguiEvent, SeenEvent } from "../gateway/types";
import { eventsOf, inputsOf, lastMessageOf, rowOf, runOf, saidAt, saidIn, stepSaying } from "./find";
import { rowsOf } from "./rows";

const user = (id: string) => ({ id, role: "user", content: "Hello" });
const events: SeenEvent[] = [
  { type: "RUN_STARTED", threadId: "t", runId: "r1", input: { messages: [user("u1")] } },
  { type: "TEXT_MESSAGE_START", messageId: "m1", subagentRunId: "s1" },
  { type: "TEXT_MESSAGE_CONTENT", messageId: "m1", delta: "Hi", subagentRunId: "s1" },
  { type: "TOOL_CALL_START", toolCallId: "c1", toolCallName: "find", parentMessageId: "m1" },
  { type: "RUN_FINISHED", threadId: "t", runId: "r1", outcome: { type: "interrupt", interrupts: [{ id: "i1", reason: "input_required" }] } },
  { type: "RUN_STARTED", threadId: "t", runId: "r2", protocolVersion: "1.0" },
  { type: "MESSAGES_SNAPSHOT", messages: [user("u1"), { id: "m1", role: "assistant" }, user("u2")] },
  { type: "TEXT_MESSAGE_START", messageId: "m2" },
  { type: "RUN_FINISHED", threadId: "t", runId: "r2" },
].map((event, n) => ({ n, event: event as AguiEvent, id: `1-${n}`, at: 0, replay: false }));
const rows = rowsOf(events);
const from = "chat" as const;

test.each([
  [{ messageId: "m1" }, "TEXT_MESSAGE_START", "r1"],
  [{ messageId: "u1" }, "RUN_STARTED", "r1"],
  [{ messageId: "u2" }, "MESSAGES_SNAPSHOT", "r2"],
  [{ toolCallId: "c1", messageId: "m1" }, "TOOL_CALL_START", "r1"],
  [{ interruptId: "i1" }, "RUN_FINISHED", "r1"],
  [{ subagentRunId: "s1" }, "TEXT_MESSAGE_START", "r1"],
  [{ messageId: "unknown" }, undefined, undefined],
])("%o is told of by %s of %s", (mark, type, run) => {
  expect(rowOf(rows, { from, ...mark }, undefined)?.type).toBe(type);
  expect(runOf(events, { from, ...mark })).toBe(run);
});

test("a link leads to the row its event is part of, and what is selected later counts more", () => {
  expect(rowOf(rows, undefined, "1-2")?.type).toBe("TEXT_MESSAGE_CONTENT");
  expect(rowOf(rows, { from, row: 0 }, "1-2")?.type).toBe("RUN_STARTED");
  expect(rowOf(rows, undefined, undefined)).toBeUndefined();
});

test("what belongs to a run", () => {
  expect(eventsOf(events, "r2").map(({ n }) => n)).toEqual([5, 6, 7, 8]);
  expect([...inputsOf(events)].map(([run, { id }]) => [run, id])).toEqual([["r1", "u1"], ["r2", "u2"]]);
  const resumed = [{ ...events[5]!, event: { type: "RUN_STARTED", threadId: "t", runId: "r3" } as AguiEvent }, { ...events[6]!, event: { type: "MESSAGES_SNAPSHOT", messages: [user("u1"), { id: "m1", role: "assistant" }] } as AguiEvent }];
  expect(inputsOf(resumed).size, "an answer is no message").toBe(0);
  const known = [user("u1"), { id: "m1", role: "assistant" }];
  expect(lastMessageOf(eventsOf(events, "r1"), known)).toBe("m1");
  expect(lastMessageOf(eventsOf(events, "r2"), known)).toBeUndefined();
});

test("a message is found by who said it and when, where no step names it", () => {
  const told = [
    { type: "STEP_STARTED", stepName: "supervisor", timestamp: 10 },
    { type: "TEXT_MESSAGE_START", messageId: "m1", timestamp: 11 },
    { type: "TEXT_MESSAGE_START", messageId: "m2", subagentRunId: "s1", timestamp: 20 },
    { type: "STEP_STARTED", stepName: "supervisor", timestamp: 40 },
    { type: "TEXT_MESSAGE_START", messageId: "m3", name: "supervisor", timestamp: 42 },
    { type: "TEXT_MESSAGE_START", messageId: "m4", name: "somebody", timestamp: 50 },
  ].map((event, n): SeenEvent => ({ n, event: event as AguiEvent, at: 0, replay: false }));
  const steps = [
    { id: "run", kind: "run", start: 0 },
    { id: "c1", kind: "choice", name: "supervisor", start: 5 },
    { id: "t1", kind: "turn", name: "flights", subagentRunId: "s1", start: 15 },
    { id: "c2", kind: "choice", name: "supervisor", start: 39 },
    { id: "model", kind: "model", messageId: "m9", start: 40 },
  ];
  const said = saidIn(told);
  expect(said.map((one) => [one.messageId, stepSaying(steps, one)?.id])).toEqual([["m1", "c1"], ["m2", "t1"], ["m3", "c2"], ["m4", "run"]]);
  expect(steps.map((step) => saidAt(steps, step, said))).toEqual(["m4", "m1", "m2", "m3", "m9"]);
});
