import { describe, expect, it } from "vitest";
import type { AguiEvent, SeenEvent } from "../gateway/types";
import { filterRows, groupOf, groups, participants, type Row, Rows, rowsOf } from "./rows";

function seen(events: object[], { replay = false, at = 1000 } = {}): SeenEvent[] {
  return events.map((event, n) => ({ n, event: event as AguiEvent, id: `1-${n}`, at: at + n * 10, replay }));
}
const text = (messageId: string, delta: string, more = {}) => ({ type: "TEXT_MESSAGE_CONTENT", messageId, delta, ...more });
const started = { type: "RUN_STARTED", threadId: "t", runId: "r1" };
const all = { groups: new Set(groups), text: "" };

describe("groupOf", () => {
  for (const [type, group] of [
    ["RUN_STARTED", "lifecycle"],
    ["STEP_FINISHED", "lifecycle"],
    ["TEXT_MESSAGE_CONTENT", "text"],
    ["REASONING_START", "text"],
    ["MESSAGES_SNAPSHOT", "text"],
    ["TOOL_CALL_ARGS", "tools"],
    ["STATE_DELTA", "state"],
    ["SUBAGENT_ERROR", "subagents"],
    ["CUSTOM", "custom"],
    ["RAW", "custom"],
    ["ACTIVITY_DELTA", "custom"],
    ["BRAND_NEW", "custom"],
  ] as const) {
    it(`${type} is ${group}`, () => expect(groupOf(type)).toBe(group));
  }
});

describe("rowsOf", () => {
  it("joins the pieces of a text", () => {
    const rows = rowsOf(seen([{ type: "TEXT_MESSAGE_START", messageId: "m" }, text("m", "Hello"), text("m", " there"), { type: "TEXT_MESSAGE_END", messageId: "m" }, text("m", "again")]));
    expect(rows.map((r) => [r.key, r.type, r.summary, r.events.length])).toEqual([
      [0, "TEXT_MESSAGE_START", "assistant", 1],
      [1, "TEXT_MESSAGE_CONTENT", "Hello there", 2],
      [3, "TEXT_MESSAGE_END", "m", 1],
      [4, "TEXT_MESSAGE_CONTENT", "again", 1],
    ]);
  });
  it("joins the pieces of two who speak at once, each to its own", () => {
    const rows = rowsOf(seen([text("a", "1"), text("b", "x"), text("a", "2"), text("b", "y"), text("a", "3")]));
    expect(rows.map((r) => r.summary)).toEqual(["123", "xy"]);
  });
  it("looks at each piece of a long text a few times at most, however long it is", () => {
    let looks = 0;
    const piece = () => ({
      type: "TEXT_MESSAGE_CONTENT",
      messageId: "m",
      get delta() {
        looks++;
        return "x ";
      },
    });
    const n = 2000;
    const [row] = rowsOf(seen(Array.from({ length: n }, piece)));
    expect(row?.events).toHaveLength(n);
    expect(looks).toBeLessThanOrEqual(5 * n);
  });
  it("looks at new events only, as a history grows and lets its oldest go", () => {
    let looks = 0;
    const event = (n: number) => ({
      type: "STEP_STARTED",
      get stepName() {
        looks++;
        return `s${n}`;
      },
    });
    const n = 4000;
    const all = seen(Array.from({ length: n }, (_, i) => event(i)));
    const rows = new Rows();
    let last: readonly Row[] = [];
    for (let to = 10; to <= n; to += 10) last = rows.sync(all.slice(Math.max(0, to - 1000), to));
    expect([last.length, last[0]?.key]).toEqual([1000, 3000]);
    expect(last.map(({ summary }) => summary)).toEqual(rowsOf(all.slice(-1000)).map(({ summary }) => summary));
    expect(looks).toBeLessThanOrEqual(10 * n);
  });
  it("makes another row of one that has grown, and keeps the others", () => {
    const all = seen([started, text("m", "a"), text("m", "b")]);
    const rows = new Rows();
    const [first, second] = rows.sync(all.slice(0, 2));
    const [again, grown] = rows.sync(all);
    expect(again).toBe(first);
    expect(grown).not.toBe(second);
    expect([second?.count, grown?.count, grown?.summary]).toEqual([1, 2, "ab"]);
  });
  it("begins anew when what was before is there too", () => {
    const all = seen([started, text("m", "a"), text("m", "b")]);
    const rows = new Rows();
    expect(rows.sync(all.slice(1))).toHaveLength(1);
    expect(rows.sync(all).map(({ key }) => key)).toEqual([0, 1]);
  });
  it("joins nothing over another event, nor a prelude with what follows it", () => {
    expect(rowsOf(seen([text("a", "1"), { type: "STEP_STARTED", stepName: "s" }, text("a", "2")]))).toHaveLength(3);
    const [told, live] = [seen([text("a", "1")], { replay: true }), seen([text("a", "2")])];
    expect(rowsOf([...told, ...live])).toHaveLength(2);
  });
  it("joins the arguments of a call", () => {
    const rows = rowsOf(seen([{ type: "TOOL_CALL_ARGS", toolCallId: "c", delta: '{"a"' }, { type: "TOOL_CALL_ARGS", toolCallId: "c", delta: ":1}" }]));
    expect(rows.map((r) => r.summary)).toEqual(['{"a":1}']);
  });
  it("knows who speaks", () => {
    const rows = rowsOf(
      seen([
        started,
        { type: "STEP_STARTED", stepName: "supervisor" },
        { type: "TEXT_MESSAGE_START", messageId: "m", name: "supervisor" },
        text("m", "x"),
        { type: "STATE_DELTA", delta: [] },
        { type: "STEP_FINISHED", stepName: "supervisor" },
        { type: "SUBAGENT_STARTED", subagentRunId: "s", name: "flights_agent" },
        text("n", "x", { subagentRunId: "s" }),
        text("o", "x", { subagentRunId: "unheard" }),
        { type: "MESSAGES_SNAPSHOT", messages: [] },
      ]),
    );
    expect(rows.map((r) => r.who)).toEqual(["", "supervisor", "supervisor", "supervisor", "supervisor", "supervisor", "flights_agent", "flights_agent", "a specialist", ""]);
    expect(participants(rows)).toEqual(["supervisor", "flights_agent", "a specialist"]);
  });
  it("counts time from the run's start, or from when the page came", () => {
    const live = seen([{ type: "STEP_STARTED", stepName: "s" }, { type: "STEP_STARTED", stepName: "t" }], { at: 5000 });
    expect(rowsOf([...seen([started], { replay: true }), ...live]).map((r) => r.offset)).toEqual([undefined, 0, 10]);
    expect(rowsOf(seen([started, { type: "STEP_STARTED", stepName: "s" }])).map((r) => r.offset)).toEqual([0, 10]);
    expect(rowsOf(seen([started, { type: "STEP_STARTED", stepName: "s" }], { replay: true })).map((r) => r.offset)).toEqual([undefined, undefined]);
    expect(rowsOf([{ n: 0, event: started as AguiEvent, at: 0, replay: false }, ...seen([started])]).map((r) => r.offset)).toEqual([undefined, 0]);
  });
  it("says each event in a line", () => {
    const line = (event: object) => rowsOf(seen([event]))[0]?.summary;
    expect(line({ type: "RUN_FINISHED", threadId: "t", runId: "r" })).toBe("success");
    expect(line({ type: "RUN_FINISHED", outcome: { type: "interrupt", interrupts: [{ id: "i", reason: "input_required", message: "Which?" }] } })).toBe("interrupt: Which?");
    expect(line({ type: "RUN_ERROR", code: "agent_failed", message: "No" })).toBe("agent_failed: No");
    expect(line({ type: "STATE_DELTA", delta: [{ op: "add", path: "/a", value: 1 }, { op: "remove", path: "/b" }] })).toBe("add /a, remove /b");
    expect(line({ type: "CUSTOM", name: "gateway.refused", value: { code: "x" } })).toBe('gateway.refused {"code":"x"}');
    expect(line({ type: "BRAND_NEW", answer: 42 })).toBe('{"answer":42}');
    expect(line(text("m", `a\n\n${"b".repeat(500)}`))).toHaveLength(241);
  });
});

describe("filterRows", () => {
  const rows = rowsOf(seen([started, { type: "SUBAGENT_STARTED", subagentRunId: "s", name: "flights" }, text("m", "KLM for $650", { subagentRunId: "s" }), { type: "STATE_SNAPSHOT", snapshot: { price: "$720" } }]));
  const types = (filter: Parameters<typeof filterRows>[1]) => filterRows(rows, filter).map((r) => r.type);
  it("by group", () => expect(types({ ...all, groups: new Set(["text"]) })).toEqual(["TEXT_MESSAGE_CONTENT"]));
  it("by who", () => expect(types({ ...all, who: "flights" })).toEqual(["SUBAGENT_STARTED", "TEXT_MESSAGE_CONTENT"]));
  it("by the run itself", () => expect(types({ ...all, who: "" })).toEqual(["RUN_STARTED", "STATE_SNAPSHOT"]));
  it("by text, whatever the case, in all of the event", () => {
    expect(types({ ...all, text: " klm " })).toEqual(["TEXT_MESSAGE_CONTENT"]);
    expect(types({ ...all, text: "PRICE" })).toEqual(["STATE_SNAPSHOT"]);
  });
  it("not at all", () => expect(types(all)).toHaveLength(4));
});
