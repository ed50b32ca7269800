import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { MAX_EVENTS } from "../gateway/store";
import { type Call, frame, gateway, settled } from "../gateway/testing";
import type { AguiEvent, SeenEvent } from "../gateway/types";
import { nothing, preludeEnd, readLog, withLog } from "./log";

let net: ReturnType<typeof gateway>;
beforeEach(() => void (net = gateway()));
afterEach(() => void vi.unstubAllGlobals());

const step = { type: "STEP_STARTED", stepName: "s" };
const seen = (n: number, id: string | undefined, replay = false): SeenEvent => ({ n, event: step as AguiEvent, id, at: 5, replay });
const never = new AbortController().signal;

it("reads from the beginning up to the event that is known", async () => {
  const log = readLog("travel", "t", "5-3", never);
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
  const log = readLog("travel", "t", "5-2", never);
  await settled();
  await answer(net.last);
  expect(await log).toEqual(nothing);
  expect(net.calls).toHaveLength(1);
});

it("has nothing when it is given up", async () => {
  const abort = new AbortController();
  const log = readLog("travel", "t", "5-3", abort.signal);
  await settled();
  abort.abort();
  expect(await log).toEqual(nothing);
});

it("keeps the newest of a long log, counts the rest, and gives each event a key of its own", async () => {
  const n = 3 * MAX_EVENTS;
  const log = readLog("travel", "t", `5-${n}`, never);
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
  const log = { events: [seen(-2, "5-2"), seen(-1, "5-3")], dropped: 7 };
  const all = withLog({ events, dropped: 0 }, log);
  expect(all.events.map((e) => e.id)).toEqual(["5-2", "5-3", "5-4"]);
  expect(all.dropped).toBe(7);
  const live = { events, dropped: 0 };
  expect(withLog(live, nothing)).toBe(live);
});

it("goes event by event as new ones come", () => {
  const log = { events: Array.from({ length: MAX_EVENTS }, (_, i) => seen(i - 1e9, `5-${i + 1}`)), dropped: 0 };
  const prelude = [seen(0, undefined, true), seen(1, `5-${MAX_EVENTS}`, true)];
  const news = (n: number) => Array.from({ length: n }, (_, i) => seen(i + 2, `6-${i + 1}`));
  for (const n of [1, 2100, MAX_EVENTS - 1]) {
    const all = withLog({ events: [...prelude, ...news(n)], dropped: 0 }, log);
    expect([all.events.length, all.dropped]).toEqual([MAX_EVENTS, n]);
    expect(all.events[0]?.id).toBe(`5-${n + 1}`);
  }
  // Its end is no longer among what was seen: nothing of it would be shown, and all of it is counted.
  const gone = withLog({ events: news(MAX_EVENTS), dropped: 2 }, log);
  expect([gone.events.length, gone.dropped]).toEqual([MAX_EVENTS, MAX_EVENTS + 2]);
});
