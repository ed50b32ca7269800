import { expect, test } from "vitest";
import { barOf, price, scaleOf, ticks, took, tokens } from "./scale";

const step = { id: "a", kind: "model", start: 0 };

test("the scale is the run's time, or the time until now", () => {
  expect(scaleOf({ startedAt: 100, endedAt: 300, steps: [] }, 9e9)).toEqual({ start: 100, end: 300 });
  expect(scaleOf({ startedAt: 100, steps: [{ ...step, start: 150 }] }, 400)).toEqual({ start: 100, end: 400 });
  expect(scaleOf({ startedAt: 100, endedAt: 300, steps: [{ ...step, start: 90, end: 320 }] }, 0)).toEqual({ start: 90, end: 320 });
  expect(scaleOf({ startedAt: 100, endedAt: 100, steps: [] }, 0)).toEqual({ start: 100, end: 101 });
});

test("a person's hours leave the run its room", () => {
  const question = { ...step, kind: "question", start: -7_200_000, end: 110 };
  const scale = scaleOf({ startedAt: 100, endedAt: 300, steps: [question] }, 0);
  expect(scale).toEqual({ start: 100, end: 300 });
  expect(barOf(question, scale, true)).toEqual({ from: 0, to: 0.05, earlier: true, later: false });
  expect(barOf({ start: 250 }, scale, true)).toEqual({ from: 0.75, to: 1, earlier: false, later: true });
});

test("a bar has its place, and its first words", () => {
  const scale = { start: 0, end: 200 };
  expect(barOf({ start: 50, end: 150, firstToken: 100 }, scale, true)).toEqual({ from: 0.25, to: 0.75, earlier: false, later: false, first: 0.5 });
  expect(barOf({ start: 50 }, scale, false), "it goes on").toEqual({ from: 0.25, to: 1, earlier: false, later: false });
});

test.each([
  [1000, 5, [0, 200, 400, 600, 800, 1000]],
  [93, 4, [0, 50]],
  [3, 10, [0, 1, 2, 3]],
  [12_345, 4, [0, 5000, 10_000]],
])("ticks of %i ms, at most %i or so", (length, most, expected) => expect(ticks({ start: 7, end: 7 + length }, most)).toEqual(expected));

test.each([
  [0, "0 ms"],
  [999.4, "999 ms"],
  [1240, "1.24 s"],
  [31_400, "31.4 s"],
  [59_990, "1 m 0 s"],
  [125_000, "2 m 5 s"],
  [11_520_000, "3 h 12 m"],
  [200_000_000, "2 d 7 h"],
])("%f ms took %s", (ms, text) => expect(took(ms)).toBe(text));

test.each([
  [0, "0"],
  [0.0123, "0.012"],
  [12.345, "12.35"],
  [0.000012345, "0.000012"],
  [0.00000012, "< 0.000001"],
])("the price %f is %s", (cost, text) => expect(price(cost)).toBe(text));

test("tokens are added up", () => expect(tokens([{ inputTokens: 5 }, { inputTokens: 2, outputTokens: 3 }])).toEqual({ input: 7, output: 3 }));
