import { expect, test } from "vitest";
import { moved, shareAt } from "./share";

test.each([
  [40, "ArrowLeft", "beside", 44],
  [40, "ArrowRight", "beside", 36],
  [40, "ArrowUp", "below", 44],
  [40, "ArrowDown", "below", 36],
  [78, "ArrowLeft", "beside", 80],
  [22, "ArrowDown", "below", 20],
  [40, "Home", "beside", 20],
  [40, "End", "below", 80],
  [40, "ArrowUp", "beside", undefined],
  [40, "a", "below", undefined],
] as const)("from %i by %s, %s: %s", (share, key, side, expected) => expect(moved(share, key, side)).toBe(expected));

test("the edge follows the pointer within its bounds", () => {
  const frame = { left: 100, top: 50, width: 1000, height: 500 };
  expect(shareAt({ x: 600, y: 0 }, frame, "beside")).toBe(50);
  expect(shareAt({ x: 0, y: 450 }, frame, "below")).toBe(20);
  expect(shareAt({ x: 1099, y: 0 }, frame, "beside")).toBe(20);
  expect(shareAt({ x: 0, y: 0 }, frame, "below")).toBe(80);
});
