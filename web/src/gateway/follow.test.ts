import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { stringify } from "client/form/exact";
import { type Follow, follow, type FollowOptions } from "./follow";
import { frame, gateway, page, settled } from "./testing";

const started = { type: "RUN_STARTED", threadId: "t", runId: "r" };
const finished = { type: "RUN_FINISHED", threadId: "t", runId: "r" };
const step = { type: "STEP_STARTED", stepName: "s" };

let net: ReturnType<typeof gateway>;
let tab: ReturnType<typeof page>;
let told: [string, string | undefined, boolean][];
let statuses: string[];
let reader: Follow | undefined;

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(Math, "random").mockReturnValue(1);
  [net, tab, told, statuses] = [gateway(), page(), [], []];
});
afterEach(async () => {
  reader?.close();
  await settled();
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

async function begin(options: Partial<FollowOptions> = {}) {
  reader = follow({
    thread: "t/1",
    agent: "travel",
    onEvent: (event, id, replay) => told.push([event.type, id, replay]),
    onStatus: (status) => statuses.push(status),
    ...options,
  });
  await settled();
}
async function pass(ms: number) {
  await vi.advanceTimersByTimeAsync(ms);
  await settled();
}

describe("follow", () => {
  it("asks for the thread of the agent, in the newest era", async () => {
    await begin();
    expect(net.last.url.pathname + net.last.url.search).toBe("/threads/t%2F1/events?agent=travel&follow=1&trace=1&protocolVersion=1.0");
    expect(net.last.headers.get("Last-Event-ID")).toBeNull();
    await net.last.send("");
    expect(statuses).toEqual(["connecting", "open"]);
  });

  it("tells a prelude whole, and marks it", async () => {
    await begin();
    await net.last.send(frame(started));
    await net.last.send(frame(step));
    expect(told).toEqual([]);
    await net.last.send(frame(finished, "5-9") + frame(started, "6-1") + frame(step, "6-2"));
    expect(told).toEqual([
      ["RUN_STARTED", undefined, true],
      ["STEP_STARTED", undefined, true],
      ["RUN_FINISHED", "5-9", true],
      ["RUN_STARTED", "6-1", false],
      ["STEP_STARTED", "6-2", false],
    ]);
  });

  it("tells numbers as they are written", async () => {
    const events: unknown[] = [];
    await begin({ onEvent: (event) => events.push(event) });
    await net.last.send('id: 1-1\ndata: {"type":"STATE_SNAPSHOT","snapshot":{"id":9007199254740993}}\n\n');
    expect(stringify(events)).toBe('[{"type":"STATE_SNAPSHOT","snapshot":{"id":9007199254740993}}]');
  });

  it("goes on behind the last event after a cut, and tells none twice", async () => {
    await begin();
    await net.last.send(frame(started, "1-1") + frame(step)); // the step's other half is cut off
    await net.last.end(new TypeError("network error"));
    expect(net.calls).toHaveLength(1);
    await pass(250);
    expect(net.calls).toHaveLength(2);
    expect(net.last.headers.get("Last-Event-ID")).toBe("1-1");
    await net.last.send(frame(step, "1-2"));
    expect(told).toEqual([["RUN_STARTED", "1-1", false], ["STEP_STARTED", "1-2", false]]);
    expect(statuses).toEqual(["connecting", "open", "connecting", "open"]);
  });

  it("marks a prelude that answers a cursor nobody knows any more", async () => {
    await begin();
    await net.last.send(frame(started, "1-1"));
    await net.last.end();
    await pass(250);
    await net.last.send(frame(started) + frame(step, "1-7") + frame(finished, "1-8"));
    expect(told.slice(1)).toEqual([["RUN_STARTED", undefined, true], ["STEP_STARTED", "1-7", true], ["RUN_FINISHED", "1-8", false]]);
  });

  it("says that the gateway is lost when the second try fails, waits longer each time, and never gives up", async () => {
    await begin();
    await net.last.send(frame(started, "1-1"));
    await net.last.end();
    for (const ms of [250, 500, 1000, 2000, 4000, 8000, 8000, 8000]) {
      await pass(ms - 1);
      const n = net.calls.length;
      await pass(1);
      expect(net.calls).toHaveLength(n + 1);
      await net.last.fail();
    }
    expect(statuses).toEqual(["connecting", "open", "connecting", "lost"]);
    await pass(8000);
    await net.last.send(frame(step, "1-2"));
    expect(statuses.at(-1)).toBe("open");
    expect(net.last.headers.get("Last-Event-ID")).toBe("1-1");
    await net.last.end();
    await pass(250); // what arrived starts the waits over
    expect(net.last.open).toBe(true);
    expect(net.seen.most).toBe(1);
  });

  it("tries at once when it is kicked, or the machine is online again", async () => {
    await begin();
    for (let i = 0; i < 5; i++) {
      await net.last.fail();
      await pass(8000);
    }
    await net.last.fail();
    const n = net.calls.length;
    reader?.kick();
    await settled();
    expect(net.calls).toHaveLength(n + 1);
    await net.last.fail();
    tab.online();
    await settled();
    expect(net.calls).toHaveLength(n + 2);
  });

  it("waits as long as a 503 asks for", async () => {
    await begin();
    await net.last.answer(503, { error: { code: "draining", message: "" } }, { "Retry-After": "3" });
    await pass(2999);
    expect(net.calls).toHaveLength(1);
    await pass(1);
    expect(net.calls).toHaveLength(2);
  });

  it("comes back after a 204", async () => {
    await begin({ cursor: "1-9" });
    expect(net.last.headers.get("Last-Event-ID")).toBe("1-9");
    await net.last.answer(204);
    await pass(250);
    expect(net.calls).toHaveLength(2);
    expect(net.last.headers.get("Last-Event-ID")).toBe("1-9");
  });

  it("looks for an unknown thread in the list, and begins anew when it is there", async () => {
    await begin({ cursor: "1-9" });
    await net.last.answer(404, { error: { code: "not_found", message: "" } });
    expect(statuses).toEqual(["connecting", "unknown"]);
    tab.focus();
    await settled();
    expect(net.last.route).toBe("/threads");
    await net.last.answer(200, { threads: [{ id: "other" }] });
    tab.focus();
    await settled();
    await net.last.answer(200, { threads: [{ id: "t/1" }] });
    expect(net.last.route).toBe("events");
    expect(net.last.headers.get("Last-Event-ID")).toBeNull();
    expect(statuses).toEqual(["connecting", "unknown", "connecting"]);
  });

  it("asks for the thread itself when it is kicked, and again soon if that was too early", async () => {
    await begin({ fresh: true });
    reader?.kick();
    await settled();
    expect(net.last.route).toBe("events");
    for (const ms of [150, 300, 600, 1000, 2000]) {
      const n = net.calls.length;
      await net.last.answer(404);
      await pass(ms - 1);
      expect(net.calls).toHaveLength(n);
      await pass(1);
      expect(net.calls).toHaveLength(n + 1);
      expect(net.last.route).toBe("events");
    }
    expect(statuses).toEqual(["unknown", "connecting"]);
    const n = net.calls.length;
    await net.last.answer(404);
    await pass(3_600_000);
    expect(net.calls).toHaveLength(n); // it is not begun after all
    expect(statuses.at(-1)).toBe("unknown");
  });

  it("asks for the thread itself when it is kicked while the list is asked", async () => {
    await begin({ fresh: true });
    tab.focus();
    await settled();
    reader?.kick();
    await net.last.answer(200, { threads: [] });
    expect(net.last.route).toBe("events");
    expect(net.seen.most).toBe(1);
  });

  it("asks nothing about a thread that was just made up, however long nobody begins it", async () => {
    await begin({ fresh: true });
    await pass(3_600_000);
    expect(net.calls).toHaveLength(0);
    tab.hide(true);
    tab.hide(false);
    await settled();
    expect(net.calls.map(({ route }) => route)).toEqual(["/threads"]);
  });

  it("asks for an unknown thread when somebody may have begun it, and not in between", async () => {
    await begin();
    await net.last.answer(404);
    await pass(3_600_000);
    expect(net.calls).toHaveLength(1);
    for (const shown of [() => (tab.hide(true), tab.hide(false)), tab.online, tab.focus]) {
      const n = net.calls.length;
      shown();
      await settled();
      expect(net.calls).toHaveLength(n + 1);
      await net.last.answer(200, { threads: [{ id: "other" }] });
      await pass(3_600_000);
      expect(net.calls).toHaveLength(n + 1);
    }
  });

  it("finds a thread that is not among the newest 100", async () => {
    await begin();
    await net.last.answer(404);
    await pass(60_000);
    tab.online();
    await settled();
    await net.last.answer(200, { threads: [{ id: "other" }], nextCursor: "more" });
    expect(net.last.route).toBe("events");
  });

  it("reports a lost gateway from an unknown thread, too", async () => {
    await begin({ fresh: true });
    tab.online();
    await settled();
    await net.last.fail();
    await net.last.fail();
    await pass(250);
    await net.last.fail();
    expect(statuses.at(-1)).toBe("lost");
  });

  it("lets go of its connection while the tab is hidden", async () => {
    await begin();
    await net.last.send(frame(started, "1-1"));
    tab.hide(true);
    await settled();
    expect(net.calls[0]?.open).toBe(false);
    await pass(60_000);
    expect(net.calls).toHaveLength(1);
    tab.hide(false);
    await settled();
    expect(net.last.headers.get("Last-Event-ID")).toBe("1-1");
    expect(statuses).not.toContain("lost");
    expect(net.seen.most).toBe(1);
  });

  it("asks for nothing in a tab that was hidden from the start", async () => {
    tab.hide(true);
    await begin();
    await pass(60_000);
    expect(net.calls).toHaveLength(0);
    tab.hide(false);
    await settled();
    expect(net.calls).toHaveLength(1);
  });

  it("survives a tab that is hidden and shown at any moment, with one connection at most", async () => {
    await begin();
    for (let i = 0; i < 50; i++) {
      tab.hide(i % 2 === 0);
      if (i % 3 === 0) await settled();
      if (i % 7 === 0) reader?.kick();
    }
    tab.hide(false);
    await settled();
    await net.last.send(frame(started, "1-1"));
    expect(told).toHaveLength(1);
    expect(net.seen.most).toBe(1);
  });

  it("takes a silent connection for dead; heartbeats are heard", async () => {
    await begin({ silence: 1000 });
    await net.last.send(frame(started, "1-1"));
    await pass(900);
    await net.last.send(": ping\n\n");
    await pass(900);
    expect(net.calls).toHaveLength(1);
    await pass(100);
    expect(net.calls[0]?.open).toBe(false);
    await pass(250);
    expect(net.calls).toHaveLength(2);
  });

  it("takes an error without an id for the connection's end where it is that, and else for the run's", async () => {
    await begin();
    await net.last.send(frame(started, "1-1") + frame({ type: "RUN_ERROR", message: "", code: "draining" }));
    await net.last.end();
    expect(told).toHaveLength(1);
    await pass(250);
    await net.last.send(frame({ type: "RUN_ERROR", message: "", code: "run_lost" }));
    expect(told.at(-1)).toEqual(["RUN_ERROR", undefined, false]);
  });

  it("passes over what is no event", async () => {
    await begin();
    await net.last.send(`data: nonsense\n\ndata: null\n\ndata: {}\n\ndata: [1]\n\n${frame(step, "1-2")}`);
    expect(told).toEqual([["STEP_STARTED", "1-2", false]]);
  });

  it("reports a listener that throws, and goes on", async () => {
    const report = vi.fn();
    vi.stubGlobal("reportError", report);
    await begin({
      onEvent: () => {
        throw new Error("listener");
      },
    });
    await net.last.send(frame(started, "1-1") + frame(step, "1-2"));
    expect(report).toHaveBeenCalledTimes(2);
    expect(net.calls).toHaveLength(1);
  });

  it("is silent once it is closed, whatever it was doing", async () => {
    await begin();
    await net.last.send(frame(started, "1-1"));
    reader?.close();
    await pass(60_000);
    expect(net.calls).toHaveLength(1);
    expect(net.last.open).toBe(false);

    await begin();
    reader?.close(); // before there was an answer
    await pass(60_000);
    await begin();
    await net.last.fail();
    reader?.close(); // while it waits
    reader?.close();
    await pass(60_000);
    await begin({ fresh: true });
    tab.focus();
    await settled();
    reader?.close(); // while it looks
    await pass(60_000);
    expect(net.calls).toHaveLength(4);
    expect(told).toHaveLength(1);
  });
});
