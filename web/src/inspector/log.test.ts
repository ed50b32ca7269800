import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { MAX_EVENTS } from "../gateway/store";
import { type Call, frame, gateway, settled } from "../gateway/testing";
import type { AguiEvent, SeenEvent } from "../gateway/types";
import { firstId, History, nothing, preludeEnd, readLog } from "./log";

let net: ReturnType<typeof gateway>;
beforeEach(() => void (net = gateway()));
afterEach(() => void vi.unstubAllGlobals());

const step = { type: "STEP_STARTED", stepName: "s" };
const seen = (n: number, id: string | undefined, replay = false): SeenEvent => ({ n, event: step as AguiEvent, id, at: 5, replay });
const never = new AbortController().signal;

it("reads from the beginning up to the event that is known", async () => {
  const log = readLog("travel", "t", "5-3", never, MAX_EVENTS);
  await settled();
  expect(net.last.headers.get("Last-Event-ID")).toBe("0-0");
  expect(net.last.url.searchParams.get("follow")).toBeNull();
  await net.last.send(frame(step, "5-1") + frame(step, "5-2") + frame(step, "5-3") + frame(step, "5-4"));
  const { events, dropped } = await log;
  expect(events.map(({ id, at, replay }) => [id, at, replay])).toEqual([["5-1", 0, false], ["5-2", 0, false], ["5-3", 0, false]]);
  expect(dropped).toBe(0);
  expect(net.last.open).toBe(false);
});

it.each([
  ["a prelude", (call: Call) => call.send(frame({ type: "RUN_STARTED" }) + frame(step, "5-2"))],
  ["a refusal", (call: Call) => call.answer(404)],
  ["nothing", (call: Call) => call.answer(204)],
  ["a log that ends before the event that is known", (call: Call) => call.send(frame(step, "5-1")).then(() => call.end())],
])("has nothing where the answer is %s", async (_, answer) => {
  const log = readLog("travel", "t", "5-2", never, MAX_EVENTS);
  await settled();
  await answer(net.last);
  expect(await log).toEqual(nothing);
  expect(net.calls).toHaveLength(1);
});

it("has nothing when it is given up", async () => {
  const abort = new AbortController();
  const log = readLog("travel", "t", "5-3", abort.signal, MAX_EVENTS);
  await settled();
  abort.abort();
  expect(await log).toEqual(nothing);
});

it("keeps the newest of a long log, counts the rest, and gives each event a key of its own", async () => {
  const n = 3 * MAX_EVENTS;
  const log = readLog("travel", "t", `5-${n}`, never, MAX_EVENTS);
  await settled();
  for (let from = 1; from <= n; from += 1000) {
    await net.last.send(Array.from({ length: 1000 }, (_, i) => frame(step, `5-${from + i}`)).join(""));
  }
  const { events, dropped } = await log;
  expect([events.length, dropped]).toEqual([MAX_EVENTS, 2 * MAX_EVENTS]);
  expect([events[0]?.id, events.at(-1)?.id]).toEqual([`5-${2 * MAX_EVENTS + 1}`, `5-${n}`]);
  expect(new Set(events.map(({ n }) => n)).size).toBe(MAX_EVENTS);
  expect(events.at(-1)?.n).toBeLessThan(0);
});

it("stands in the prelude's place", () => {
  const events = [seen(0, undefined, true), seen(1, "5-3", true), seen(2, "5-4")];
  expect(preludeEnd(events)).toBe("5-3");
  expect(preludeEnd(events.slice(2))).toBeUndefined();
  expect(firstId(events)).toBe("5-3");
  const history = new History();
  expect(history.sync({ events, dropped: 0 }, nothing, 9).events).toEqual(events);
  const log = { events: [seen(-2, "5-2"), seen(-1, "5-3")], dropped: 7 };
  const all = history.sync({ events, dropped: 0 }, log, 9);
  expect([all.events.map((e) => e.id), all.dropped]).toEqual([["5-2", "5-3", "5-4"], 7]);
  const later = history.sync({ events: [...events, seen(3, "5-5")], dropped: 0 }, log, 9);
  expect([later.events.map((e) => e.id), later.dropped]).toEqual([["5-2", "5-3", "5-4", "5-5"], 7]);
});

const live = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => seen(from + i, `6-${from + i}`));

it("goes event by event as new ones come", () => {
  const log = { events: Array.from({ length: 100 }, (_, i) => seen(i - 1e9, `5-${i + 1}`)), dropped: 0 };
  const prelude = [seen(0, undefined, true), seen(1, "5-100", true)];
  const history = new History();
  for (const n of [0, 1, 40, 99]) {
    const all = history.sync({ events: [...prelude, ...live(2, 2 + n)], dropped: 0 }, log, 100);
    expect([all.events.length, all.dropped, all.events[0]?.id]).toEqual([100, n, `5-${n + 1}`]);
  }
});

it("has no hole when the oldest of what was seen is dropped elsewhere", () => {
  const history = new History();
  history.sync({ events: live(0, 60), dropped: 0 }, nothing, Infinity);
  const all = history.sync({ events: live(40, 100), dropped: 40 }, nothing, Infinity);
  expect(all.events.map(({ n }) => n)).toEqual(Array.from({ length: 100 }, (_, i) => i));
  expect(all.dropped).toBe(0);
  const after = history.sync({ events: live(500, 560), dropped: 500 }, nothing, Infinity);
  expect([after.events[0]?.n, after.dropped], "but for a time in which nobody looked").toEqual([500, 500]);
});

it("has all of it when that is wanted, in the place of the part there was", () => {
  const history = new History();
  const some = history.sync({ events: live(0, 60), dropped: 0 }, nothing, 20);
  expect([some.events[0]?.id, some.dropped]).toEqual(["6-40", 40]);
  const prelude = [seen(0, undefined, true), seen(1, "5-9", true)];
  const before = new History();
  const newest = { events: [seen(-1e9, "5-8"), seen(1 - 1e9, "5-9")], dropped: 1 };
  expect(before.sync({ events: prelude, dropped: 0 }, newest, 2).events.map(({ id }) => id)).toEqual(["5-8", "5-9"]);
  const rest = { events: [seen(-1e9, "5-7"), seen(1 - 1e9, "5-8")], dropped: 0 };
  expect(before.sync({ events: prelude, dropped: 0 }, rest, Infinity)).toMatchObject({ events: [{ id: "5-7" }, { id: "5-8" }, { id: "5-9" }], dropped: 0 });
  const log = { events: Array.from({ length: 41 }, (_, i) => seen(i - 1e9, `6-${i}`)), dropped: 0 };
  const all = history.sync({ events: live(0, 60), dropped: 0 }, log, Infinity);
  expect([all.events.map(({ id }) => id), all.dropped]).toEqual([Array.from({ length: 60 }, (_, i) => `6-${i}`), 0]);
});

it("counts a log that does not lead to what was seen, and shows nothing of it", () => {
  const log = { events: [seen(-1e9, "4-1")], dropped: 2 };
  const all = new History().sync({ events: live(0, 3), dropped: 5 }, log, 9);
  expect([all.events.length, all.dropped]).toEqual([3, 8]);
});
