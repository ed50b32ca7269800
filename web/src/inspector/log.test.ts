import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { frame, gateway, settled } from "../gateway/testing";
import type { AguiEvent, Run, SeenEvent } from "../gateway/types";
import { cursors, preludeEnd, readLog, withLog } from "./log";

let net: ReturnType<typeof gateway>;
beforeEach(() => void (net = gateway()));
afterEach(() => void vi.unstubAllGlobals());

const run = (startedAt: string): Run => ({ runId: "r", status: "success", startedAt });
const step = { type: "STEP_STARTED", stepName: "s" };
const seen = (n: number, id: string | undefined, replay = false): SeenEvent => ({ n, event: step as AguiEvent, id, at: 5, replay });
const never = new AbortController().signal;

it("guesses where runs began, the oldest first", () => {
  const runs = [run("1970-01-01T00:00:00.009Z"), run("1970-01-01T00:00:00.0051234Z"), run("nonsense")];
  expect(cursors(runs, "9-77")).toEqual(["5-1", "9-1"]);
});

it("reads up to the event that is known", async () => {
  const log = readLog("travel", "t", [], "5-3", never);
  await settled();
  expect(net.last.headers.get("Last-Event-ID")).toBe("5-1");
  expect(net.last.url.searchParams.get("follow")).toBeNull();
  await net.last.send(frame(step, "5-2") + frame(step, "5-3") + frame(step, "5-4"));
  expect((await log).map(({ id, at, replay }) => [id, at, replay])).toEqual([["5-2", 0, false], ["5-3", 0, false]]);
  expect(net.last.open).toBe(false);
});

it("tries the next guess after a prelude, a refusal or an end", async () => {
  const log = readLog("travel", "t", [run("1970-01-01T00:00:00.004Z"), run("1970-01-01T00:00:00.003Z"), run("1970-01-01T00:00:00.002Z")], "5-2", never);
  await settled();
  await net.last.send(frame({ type: "RUN_STARTED" }) + frame(step, "5-2"));
  await net.last.answer(204);
  await net.last.send(frame(step, "4-2"));
  await net.last.end();
  await net.last.send(frame(step, "5-2"));
  expect(await log).toHaveLength(1);
  expect(net.calls.map((c) => c.headers.get("Last-Event-ID"))).toEqual(["2-1", "3-1", "4-1", "5-1"]);
});

it("has nothing when it is given up", async () => {
  const abort = new AbortController();
  const log = readLog("travel", "t", [], "5-3", abort.signal);
  await settled();
  abort.abort();
  expect(await log).toEqual([]);
});

it("stands in the prelude's place", () => {
  const events = [seen(0, undefined, true), seen(1, "5-3", true), seen(2, "5-4")];
  expect(preludeEnd(events)).toBe("5-3");
  expect(preludeEnd(events.slice(2))).toBeUndefined();
  expect(withLog(events, [seen(-2, "5-2"), seen(-1, "5-3")]).map((e) => e.id)).toEqual(["5-2", "5-3", "5-4"]);
  expect(withLog(events.slice(2), [seen(-1, "5-3")]).map((e) => e.id)).toEqual(["5-4"]);
  expect(withLog(events, [])).toBe(events);
});
