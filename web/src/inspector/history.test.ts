import { expect, it } from "vitest";
import type { AguiEvent, SeenEvent } from "../gateway/types";
import { marks, versionAt, versionsOf } from "./history";

const seen = (events: object[]): SeenEvent[] => events.map((event, n) => ({ n, event: event as AguiEvent, at: 1, replay: false }));
const snapshot = (state: unknown) => ({ type: "STATE_SNAPSHOT", snapshot: state });
const delta = (...operations: object[]) => ({ type: "STATE_DELTA", delta: operations });

it("each change is a version, with what was there before", () => {
  const versions = versionsOf(
    seen([snapshot({ step: "start", list: [] }), { type: "STEP_STARTED", stepName: "s" }, delta({ op: "replace", path: "/step", value: "flights" }, { op: "add", path: "/list/-", value: 1 }), delta({ op: "remove", path: "/step" })]),
  );
  expect(versions.map((v) => [v.n, v.kind, v.state])).toEqual([
    [0, "snapshot", { step: "start", list: [] }],
    [2, "delta", { step: "flights", list: [1] }],
    [3, "delta", { list: [1] }],
  ]);
  expect(versions[1]?.changes).toEqual([
    { op: "replace", path: "/step", before: "start", after: "flights" },
    { op: "add", path: "/list/-", after: 1 },
  ]);
  expect(versions[2]?.changes).toEqual([{ op: "remove", path: "/step", before: "flights" }]);
});

it("a snapshot that says the same again is no version; one that differs says in what", () => {
  const versions = versionsOf(seen([snapshot({ a: 1 }), snapshot({ a: 1 }), snapshot({ a: 2 })]));
  expect(versions.map((v) => v.n)).toEqual([0, 2]);
  expect(versions[1]?.changes).toEqual([{ op: "replace", path: "/a", before: 1, after: 2 }]);
});

it("a delta without a base is passed over, one that does not fit is told", () => {
  const versions = versionsOf(seen([delta({ op: "add", path: "/a", value: 1 }), snapshot({}), delta({ op: "remove", path: "/nothing" })]));
  expect(versions.map((v) => [v.n, v.refused, v.state])).toEqual([[1, false, {}], [2, true, {}]]);
});

it("goes on from what is not kept any more", () => {
  const versions = versionsOf(seen([delta({ op: "replace", path: "/a", value: 2 })]), { state: { a: 1 } });
  expect(versions.map((v) => v.state)).toEqual([{ a: 1 }, { a: 2 }]);
});

it("an event finds its version", () => {
  const versions = versionsOf(seen([snapshot({ a: 1 }), { type: "STEP_STARTED", stepName: "s" }, snapshot({ a: 2 })]));
  expect([0, 1, 2, 9].map((n) => versionAt(versions, n))).toEqual([0, 0, 1, 1]);
  expect(versionAt([], 3)).toBe(0);
});

it("marks what changed, and what it lies in", () => {
  const marked = marks([
    { op: "replace", path: "/a/b/c", before: 1, after: 2 },
    { op: "add", path: "/new", after: 1 },
    { op: "add", path: "/list/-", after: 1 },
    { op: "remove", path: "/x/y", before: 1 },
    { op: "test", path: "/t" },
  ]);
  expect(Object.fromEntries(marked)).toEqual({ "/a/b/c": "changed", "/a/b": "inside", "/a": "inside", "/new": "added", "/list": "changed", "/x": "inside" });
});
