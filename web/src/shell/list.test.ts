import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { gateway, settled } from "../gateway/testing";
import { newestThreads, statusOf } from "./list";

let net: ReturnType<typeof gateway>;
beforeEach(() => void (net = gateway()));
afterEach(() => void vi.unstubAllGlobals());

const threads = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => ({ id: `t${from + i}` }));
const query = () => Object.fromEntries(net.last.url.searchParams);

test("as many threads as are shown are asked for, in as few requests as there have to be", async () => {
  const list = newestThreads("travel", 130);
  await settled();
  expect(query()).toEqual({ agent: "travel", limit: "100" });
  await net.last.answer(200, { threads: threads(0, 100), nextCursor: "c" });
  expect(query()).toEqual({ agent: "travel", limit: "30", cursor: "c" });
  await net.last.answer(200, { threads: threads(99, 129), nextCursor: "d" }); // one has moved
  expect(query()).toEqual({ agent: "travel", limit: "1", cursor: "d" });
  await net.last.answer(200, { threads: threads(129, 130) });
  expect((await list).threads.map(({ id }) => id)).toEqual(threads(0, 130).map(({ id }) => id));
  expect((await list).more).toBe(false);
});

test("there are more where a page says so", async () => {
  const list = newestThreads("travel", 30);
  await settled();
  await net.last.answer(200, { threads: threads(0, 30), nextCursor: "c" });
  expect((await list).more).toBe(true);
  expect(net.calls).toHaveLength(1);
});

test("the status of a thread that one watches", () => {
  const question = { id: "q", reason: "input_required" };
  const idle = { running: false, interrupts: [], failure: undefined };
  expect(statusOf(idle)).toBe("idle");
  expect(statusOf({ ...idle, running: true, interrupts: [question] })).toBe("running");
  expect(statusOf({ ...idle, interrupts: [question], failure: { message: "No" } })).toBe("interrupted");
  expect(statusOf({ ...idle, failure: { message: "No" } })).toBe("failed");
});
