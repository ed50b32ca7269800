import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { gateway, settled } from "../gateway/testing";
import type { ThreadStatus, ThreadSummary } from "../gateway/types";
import { grouped, type Here, newestThreads, nextPage, statusOf, suits } from "./list";

let net: ReturnType<typeof gateway>;
beforeEach(() => void (net = gateway()));
afterEach(() => void vi.unstubAllGlobals());

const threads = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => ({ id: `t${from + i}` }));
const query = () => Object.fromEntries(net.last.url.searchParams);

test("as many threads as are shown are asked for, in as few requests as there have to be", async () => {
  const list = newestThreads({}, 4);
  await settled();
  expect(query()).toEqual({ limit: "100" });
  await net.last.answer(200, { threads: threads(0, 100), nextCursor: "c" });
  expect(query()).toEqual({ limit: "20", cursor: "c" });
  await net.last.answer(200, { threads: threads(99, 119), nextCursor: "d" }); // one has moved
  expect(query()).toEqual({ limit: "1", cursor: "d" });
  await net.last.answer(200, { threads: threads(119, 120) });
  expect((await list).threads.map(({ id }) => id)).toEqual(threads(0, 120).map(({ id }) => id));
  expect((await list).more).toBe(false);
});

test("there are more where a page says so", async () => {
  const list = newestThreads({ agent: "travel" }, 1);
  await settled();
  expect(query()).toEqual({ agent: "travel", limit: "30" });
  await net.last.answer(200, { threads: threads(0, 30), nextCursor: "c" });
  expect((await list).more).toBe(true);
  expect(net.calls).toHaveLength(1);
});

test("a search that finds little ends after a bounded number of requests, and can go on", async () => {
  const list = newestThreads({ q: "paris" }, 1);
  for (let n = 0; n < 5; n++) {
    await settled();
    expect(query()).toEqual({ q: "paris", limit: n < 3 ? "30" : "29", ...(n > 0 && { cursor: `c${n - 1}` }) });
    await net.last.answer(200, { threads: n === 2 ? threads(7, 8) : [], nextCursor: `c${n}` });
  }
  expect(await list).toEqual({ threads: threads(7, 8), more: true });
  expect(net.calls).toHaveLength(5);
});

test("threads of two agents with one id are two", async () => {
  const list = newestThreads({ status: "interrupted" }, 1);
  await settled();
  expect(query()).toEqual({ status: "interrupted", limit: "100" });
  const both = [{ id: "t", agent: "a" }, { id: "t", agent: "b" }];
  await net.last.answer(200, { threads: both });
  expect((await list).threads).toEqual(both);
});

const thread = (id: string, status: ThreadStatus, minute: number, more: Partial<ThreadSummary> = {}): ThreadSummary => {
  const at = `2026-05-01T12:${String(minute).padStart(2, "0")}:00.000Z`;
  return { id, agent: "desk", status, createdAt: at, updatedAt: at, ...more };
};
const ids = (list: ThreadSummary[]) => list.map(({ id }) => id).join(" ");

test("what needs an answer is a group of its own, however old, and no thread is in both", () => {
  const old = thread("old", "interrupted", 0);
  const newest = [thread("c", "idle", 9), thread("b", "interrupted", 5), thread("a", "failed", 3)];
  const { waiting, others } = grouped([[newest[1]!, old], newest], undefined);
  expect([ids(waiting), ids(others)]).toEqual(["b old", "c a"]);
});

test("what the page has seen of its own thread counts more than the list", () => {
  const lists = [[thread("a", "interrupted", 1)], [thread("b", "idle", 2)]];
  const after = (here: Here) => {
    const { waiting, others } = grouped(lists, here);
    return [ids(waiting), ids(others)];
  };
  expect(after({ agent: "desk", id: "a", status: "running" })).toEqual(["", "b a"]);
  expect(after({ agent: "desk", id: "b", status: "interrupted" })).toEqual(["b a", ""]);
  expect(after({ agent: "other", id: "b", status: "interrupted" })).toEqual(["a", "b"]);
  expect(after({ agent: "desk", id: "b" })).toEqual(["a", "b"]);
});

test("a filter is what the gateway's search is: all words, in the title or the agent's name, in whatever case", () => {
  const trip = thread("t", "idle", 1, { title: "A week in PARIS" });
  const found = (text: string, agent = "") => suits(trip, { text, agent });
  expect([found(""), found("  "), found("paris"), found("week desk"), found("Desk"), found("in  A")]).toEqual(Array(6).fill(true));
  expect([found("rome"), found("paris rome"), found("", "travel"), found("paris", "travel")]).toEqual(Array(4).fill(false));
  expect([found("", "desk"), suits(thread("u", "idle", 1), { text: "x", agent: "" })]).toEqual([true, false]);
});

test("the status of a thread that one watches", () => {
  const question = { id: "q", reason: "input_required" };
  const idle = { running: false, interrupts: [], failure: undefined };
  expect(statusOf(idle)).toBe("idle");
  expect(statusOf({ ...idle, running: true, interrupts: [question] })).toBe("running");
  expect(statusOf({ ...idle, interrupts: [question], failure: { message: "No" } })).toBe("interrupted");
  expect(statusOf({ ...idle, failure: { message: "No" } })).toBe("failed");
});

test("a thread with a call that waits for a result needs an answer, until its next run", () => {
  const call = thread("call", "idle", 1, { waitingCalls: 1 });
  const { waiting, others } = grouped([[thread("idle", "idle", 3), call, thread("gone", "idle", 2, { waitingCalls: 0 })]], undefined);
  expect([ids(waiting), ids(others)]).toEqual(["call", "idle gone"]);
  expect(grouped([[call]], { agent: "desk", id: "call", status: "running" }).waiting).toEqual([]);
});

test("a search keeps the number of pages of the whole list", () => {
  const whole = nextPage(nextPage({ all: 1, found: 1 }, { text: " ", agent: "" }), { text: "", agent: "" });
  expect(whole).toEqual({ all: 3, found: 1 });
  expect(nextPage(whole, { text: "oslo", agent: "" })).toEqual({ all: 3, found: 2 });
  expect(nextPage(whole, { text: "", agent: "desk" })).toEqual({ all: 3, found: 2 });
});
