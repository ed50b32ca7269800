import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type Entry, FollowStore } from "./store";
import { frame, gateway, page, settled } from "./testing";

let net: ReturnType<typeof gateway>;
let store: FollowStore;
let leave: (() => void)[];

beforeEach(() => {
  vi.useFakeTimers();
  [net, store, leave] = [gateway(), new FollowStore(), []];
  page();
});
afterEach(async () => {
  for (const f of leave) f();
  await vi.advanceTimersByTimeAsync(10_000);
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function watch(entry: Entry, listener = () => {}) {
  const stop = entry.subscribe(listener);
  leave.push(stop);
  return stop;
}
const flushed = () => vi.advanceTimersByTimeAsync(16);
const failed = { runId: "r", status: "error", code: "agent_failed", message: "No cloth.", startedAt: "2026-11-22T12:00:00Z" };
const started = { type: "RUN_STARTED", threadId: "t", runId: "r" };

it("two watchers share one connection, which outlives a change of views", async () => {
  const [a, b] = [store.entry("travel", "t"), store.entry("travel", "t")];
  expect(a).toBe(b);
  const stops = [watch(a), watch(b)];
  await settled();
  expect(net.calls).toHaveLength(1);
  for (const stop of stops) stop();
  await vi.advanceTimersByTimeAsync(2000);
  watch(a);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(net.calls).toHaveLength(1);
  expect(net.last.open).toBe(true);
});

it("the last watcher's leave ends it; coming back begins anew", async () => {
  const entry = store.entry("travel", "t");
  const stop = watch(entry);
  await settled();
  await net.last.send(frame(started, "1-1"));
  await flushed();
  stop();
  await vi.advanceTimersByTimeAsync(3000);
  expect(net.last.open).toBe(false);
  expect(entry.current()).toMatchObject({ status: "connecting", running: false, events: [] });
  watch(store.entry("travel", "t"));
  await settled();
  expect(net.calls).toHaveLength(2);
  expect(net.last.headers.get("Last-Event-ID")).toBeNull();
});

it("what arrives together is one change", async () => {
  const entry = store.entry("travel", "t");
  const changed = vi.fn();
  watch(entry, changed);
  await settled();
  await net.last.send("");
  changed.mockClear();
  await net.last.send(frame(started, "1-1") + frame({ type: "STATE_SNAPSHOT", snapshot: { a: 1 } }, "1-2"));
  await net.last.send(frame({ type: "STEP_STARTED", stepName: "s" }, "1-3"));
  await flushed();
  expect(changed).toHaveBeenCalledTimes(1);
  const now = entry.current();
  expect(now).toMatchObject({ running: true, runCount: 1, view: { state: { a: 1 } } });
  expect(now.events.map(({ id, n }) => [id, n])).toEqual([["1-1", 0], ["1-2", 1], ["1-3", 2]]);
  expect(entry.current()).toBe(now);
});

it("keeps the newest 5,000 events", async () => {
  const entry = store.entry("travel", "t");
  watch(entry);
  await settled();
  const state = frame({ type: "STATE_SNAPSHOT", snapshot: { a: 1 } }, "0-1") + frame({ type: "STATE_DELTA", delta: [{ op: "add", path: "/b", value: 2 }] }, "0-2");
  const many = Array.from({ length: 5498 }, (_, i) => frame({ type: "STEP_STARTED", stepName: "s" }, `1-${i + 2}`)).join("");
  await net.last.send(state);
  await flushed();
  expect(entry.current().base).toBeUndefined();
  await net.last.send(many);
  await flushed();
  expect(entry.current().events).toHaveLength(5000);
  expect(entry.current().dropped).toBe(500);
  expect(entry.current().events[0]?.id).toBe("1-500");
  expect(entry.current().base).toEqual({ state: { a: 1, b: 2 } });
});

it("asks the thread after an error what it was, and which questions are open again", async () => {
  const entry = store.entry("travel", "t");
  watch(entry);
  await settled();
  const events = net.last;
  await events.send(frame(started, "1-1") + frame({ type: "RUN_ERROR", message: "", code: "agent_failed" }, "1-2"));
  await flushed();
  expect(net.last.route).toBe("/threads/t");
  expect(net.last.url.searchParams.get("limit")).toBe("1");
  await net.last.answer(200, { interrupts: [{ id: "i", reason: "input_required" }], runs: [failed] });
  expect(entry.current().interrupts).toEqual([{ id: "i", reason: "input_required" }]);
  expect(entry.current().view.failure).toEqual({ code: "agent_failed", message: "No cloth." });
  await events.send(frame(started, "2-1"));
  await flushed();
  expect(entry.current().interrupts).toEqual([]);
  expect(entry.current().view.failure).toBeUndefined();
});

it("asks the thread behind a prelude why its last run failed", async () => {
  const entry = store.entry("travel", "t");
  watch(entry);
  await settled();
  const events = net.last;
  await events.send(frame(started) + frame({ type: "RUN_FINISHED", threadId: "t", runId: "r" }, "1-2"));
  await flushed();
  expect(net.last.route).toBe("/threads/t");
  await net.last.answer(200, { interrupts: [], runs: [failed, { ...failed, message: "An older one." }] });
  expect(entry.current().view.failure).toEqual({ code: "agent_failed", message: "No cloth." });
});

it("a thread whose last run went well has no failure", async () => {
  const entry = store.entry("travel", "t");
  watch(entry);
  await settled();
  await net.last.send(frame(started) + frame({ type: "RUN_FINISHED", threadId: "t", runId: "r" }, "1-2"));
  await flushed();
  await net.last.answer(200, { interrupts: [], runs: [{ ...failed, status: "success" }, failed] });
  expect(entry.current().view.failure).toBeUndefined();
});

it("a thread the gateway has forgotten is not running", async () => {
  const entry = store.entry("travel", "t");
  watch(entry);
  await settled();
  await net.last.send(frame(started, "1-1"));
  await net.last.end();
  await vi.advanceTimersByTimeAsync(300);
  await net.last.answer(404);
  expect(entry.current()).toMatchObject({ status: "unknown", running: false });
  const n = net.calls.length;
  entry.current().kick();
  await settled();
  expect(net.calls).toHaveLength(n + 1);
});
