import { expect, it } from "vitest";
import { duration } from "./duration";

it("says a duration in seconds and minutes", () => {
  expect([0, 1.4, 1.6, 59.4, 59.6, 89, 91, 600].map(duration)).toEqual(["a second", "a second", "2 seconds", "59 seconds", "a minute", "a minute", "2 minutes", "10 minutes"]);
});
