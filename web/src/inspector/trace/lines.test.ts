import { describe, expect, it, test } from "vitest";
import type { Step } from "../../gateway/types";
import { above, linesOf, merged, stepOf } from "./lines";

const step = (id: string, parent?: string, start = 0, more: Partial<Step> = {}): Step => ({ id, kind: "turn", start, ...(parent && { parent }), ...more });
const drawn = (steps: Step[], closed: string[] = []) => linesOf(steps, new Set(closed)).map(({ step: { id }, level, inside }) => `${" ".repeat(level - 1)}${id}${inside > 0 ? ` (${inside})` : ""}`);

const run = [step("model", "turn", 3), step("run"), step("turn", "run", 2), step("choice", "run", 1), step("tool", "turn", 4), step("later", "run", 9)];

describe("linesOf", () => {
  it("puts parts below what they are part of, in the order of time", () => expect(drawn(run)).toEqual(["run (5)", " choice", " turn (2)", "  model", "  tool", " later"]));
  it("leaves out what is inside of a closed one, and counts it", () => {
    expect(drawn(run, ["turn"])).toEqual(["run (5)", " choice", " turn (2)", " later"]);
    expect(drawn(run, ["run", "turn"])).toEqual(["run (5)"]);
  });
  it("shows those whose parent is not there, and those that are parts of each other", () => {
    expect(drawn([step("a", "gone", 5), step("b", undefined, 1)])).toEqual(["b", "a"]);
    expect(drawn([step("a", "b"), step("b", "a"), step("c", "c")])).toEqual(["c", "a", "b"]);
  });
  it("says each one's place among its siblings", () =>
    expect(linesOf(run).map(({ position, siblings }) => [position, siblings])).toEqual([[1, 1], [1, 3], [2, 3], [1, 2], [2, 2], [3, 3]]));
  it("knows a step once, by what was told of it last", () => {
    const lines = linesOf([step("a"), step("a", undefined, 0, { name: "later" })]);
    expect(lines.map(({ step }) => step.name)).toEqual(["later"]);
  });
  it("looks at each step a few times at most, however many and however deep", () => {
    let looks = 0;
    const n = 20_000;
    const chain = Array.from({ length: n }, (_, i) => ({
      id: `${i}`,
      kind: "turn",
      start: i,
      get parent() {
        looks++;
        return `${i - 1}`;
      },
    }));
    expect(linesOf(chain)).toHaveLength(n);
    expect(looks).toBeLessThanOrEqual(5 * n);
  });
});

test("above: from the parent up", () => {
  expect(above(run, "model")).toEqual(["turn", "run"]);
  expect(above(run, "run")).toEqual([]);
  expect(above([step("a", "b"), step("b", "a")], "a")).toEqual(["b", "a"]);
});

test("merged: what has ended stays so", () => {
  const [begun, ended] = [step("a"), step("a", undefined, 0, { end: 5 })];
  expect(merged([begun], [ended])).toEqual([ended]);
  expect(merged([ended], [begun])).toEqual([ended]);
  expect(merged([begun], [step("b")])).toHaveLength(2);
});

test("stepOf: the step that something was said, called or asked in", () => {
  const steps = [
    step("t1", "run", 0, { subagentRunId: "s1", messageId: "m1" }),
    step("c1", "t1", 0, { kind: "model", messageId: "m1" }),
    step("k1", "t1", 0, { kind: "tool", toolCallId: "call" }),
    step("q1", "t1", 0, { kind: "question", interruptId: "i1" }),
  ];
  expect(stepOf(steps, { messageId: "m1" })?.id).toBe("c1");
  expect(stepOf(steps, { messageId: "unknown", subagentRunId: "s1" })?.id).toBe("t1");
  expect(stepOf(steps, { toolCallId: "call", messageId: "m1" })?.id).toBe("k1");
  expect(stepOf(steps, { interruptId: "i1" })?.id).toBe("q1");
  expect(stepOf(steps, {})).toBeUndefined();
});
