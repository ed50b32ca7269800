import { expect, test } from "vitest";
import { Calm } from "./calm";

test("what goes on failing is tried less and less often, and what had worked for a while at once", () => {
  const calm = new Calm();
  let now = 0;
  const waits = Array.from({ length: 8 }, () => {
    const wait = calm.next(now);
    now += wait + 10; // it is tried, and fails
    return wait;
  });
  expect(waits).toEqual([0, 500, 1000, 2000, 4000, 8000, 8000, 8000]);
  expect(calm.next(now + 30_000)).toBe(0);
});
