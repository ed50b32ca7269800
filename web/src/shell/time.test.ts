import { expect, test } from "vitest";
import { ago } from "./time";

const now = Date.parse("2026-11-21T12:00:00Z");

test.each([
  ["2026-11-21T11:59:30Z", "just now"],
  ["2026-11-21T12:00:05Z", "just now"],
  ["2026-11-21T11:58:00Z", "2 min. ago"],
  ["2026-11-21T09:30:00Z", "2 hr. ago"],
  ["2026-11-20T11:00:00Z", "yesterday"],
  ["2026-11-10T12:00:00Z", "last wk."],
  ["2026-01-02T12:00:00Z", "Jan 2, 2026"],
  ["not a time", ""],
])("%s is %s", (time, text) => expect(ago(time, now)).toBe(text));
