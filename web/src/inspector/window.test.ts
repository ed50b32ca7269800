import { expect, it } from "vitest";
import { offsets, span } from "./window";

it("rows of one height", () => {
  const at = offsets(1000, 20, new Map());
  expect(span(at, 0, 100, 0)).toEqual({ from: 0, to: 6, above: 0, below: 19880 });
  expect(span(at, 10_000, 10_100, 2)).toEqual({ from: 498, to: 508, above: 9960, below: 9840 });
  expect(span(at, 19_900, 20_000, 10)).toEqual({ from: 985, to: 1000, above: 19_700, below: 0 });
});

it("an open row takes its place", () => {
  const at = offsets(4, 20, new Map([[1, 300]]));
  expect([...at]).toEqual([0, 20, 320, 340, 360]);
  expect(span(at, 100, 200, 0)).toEqual({ from: 1, to: 2, above: 20, below: 40 });
});

it("nothing, and beyond the end", () => {
  expect(span(offsets(0, 20, new Map()), 0, 500)).toEqual({ from: 0, to: 0, above: 0, below: 0 });
  expect(span(offsets(3, 20, new Map()), 900, 1000, 0)).toEqual({ from: 2, to: 3, above: 40, below: 0 });
});
