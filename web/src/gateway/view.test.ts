import { describe, expect, it } from "vitest";
import type { AguiEvent, Interrupt } from "./types";
import { emptyView, forgotten, know, reduce, type View } from "./view";

const fold = (events: AguiEvent[], view: View = emptyView) => events.reduce((v, e) => reduce(v, e), view);
const replay = (events: AguiEvent[], view: View = emptyView) => events.reduce((v, e) => reduce(v, e, true), view);
const started = (runId = "r1"): AguiEvent => ({ type: "RUN_STARTED", threadId: "t", runId });
const finished = (runId = "r1"): AguiEvent => ({ type: "RUN_FINISHED", threadId: "t", runId, outcome: { type: "success" } });
const question: Interrupt = { id: "i1", reason: "input_required", subagentRunId: "s1", metadata: { groupchat: { path: "flights_agent" } } };
const asked = (runId = "r1"): AguiEvent => ({ type: "RUN_FINISHED", threadId: "t", runId, outcome: { type: "interrupt", interrupts: [question] } });

it("an answer that was refused leaves the team as it was", () => {
  const works: AguiEvent[] = [{ type: "SUBAGENT_STARTED", subagentRunId: "s0", name: "hotels_agent" }, { type: "SUBAGENT_FINISHED", subagentRunId: "s0" }, { type: "SUBAGENT_STARTED", subagentRunId: "s1", name: "flights_agent" }, { type: "SUBAGENT_FINISHED", subagentRunId: "s1", outcome: { type: "suspended" } }];
  const badges = (view: View) => view.specialists.filter(({ current }) => current).map(({ name, status }) => `${name} ${status}`).join();
  const view = fold([started(), ...works, asked()]);
  expect(badges(view)).toBe("hotels_agent finished,flights_agent suspended");
  expect(badges(fold([started("r2"), asked("r2")], view))).toBe(badges(view));
  expect(badges(fold([started("r2"), finished("r2")], view))).toBe("");
  expect(badges(fold([started("r2"), works[2]!, works[3]!, asked("r2")], view))).toBe("flights_agent suspended");
});

describe("reduce: runs", () => {
  it("a run begins and ends", () => {
    let view = fold([started()]);
    expect(view).toMatchObject({ running: true, runCount: 1, runs: [{ runId: "r1", status: "running" }] });
    view = fold([finished()], view);
    expect(view).toMatchObject({ running: false, runCount: 1, runs: [{ runId: "r1", status: "success" }] });
  });
  it("absent outcome is success", () => {
    expect(fold([started(), { type: "RUN_FINISHED", threadId: "t", runId: "r1" }]).runs[0]?.status).toBe("success");
  });
  it("an error carries its code; cancelled is no error", () => {
    const failed = fold([started(), { type: "RUN_ERROR", message: "No", code: "agent_failed" }]);
    expect(failed).toMatchObject({ running: false, runs: [{ status: "error", code: "agent_failed", message: "No" }] });
    const stopped = fold([started(), { type: "RUN_FINISHED", threadId: "t", runId: "r1", outcome: { type: "cancelled" } }]);
    expect(stopped.runs[0]?.status).toBe("cancelled");
  });
  it("an error before any run", () => {
    expect(fold([{ type: "RUN_ERROR", message: "No" }])).toMatchObject({ running: false, runs: [] });
  });
  it("a prelude is no new run", () => {
    const view = replay([started("made-up"), finished("made-up")]);
    expect(view).toMatchObject({ running: false, runCount: 0, replays: 1, runs: [{ replay: true }] });
  });
  it("a start within a run tells it again", () => {
    const view = fold([started(), { type: "STEP_STARTED", stepName: "s" }, started(), { type: "STEP_STARTED", stepName: "s" }]);
    expect(view).toMatchObject({ running: true, runCount: 1, replays: 1, steps: [{ name: "s", running: true }] });
    expect(view.runs).toHaveLength(1);
  });
  it("runs are kept up to fifty", () => {
    const view = fold(Array.from({ length: 60 }, (_, i) => [started(`r${i}`), finished(`r${i}`)]).flat());
    expect(view.runs).toHaveLength(50);
    expect(view.runCount).toBe(60);
  });
  it("notices belong to their run", () => {
    const view = fold([started(), { type: "CUSTOM", name: "gateway.refused", value: { code: "interrupt_not_found" } }]);
    expect(view.notices).toEqual([{ name: "gateway.refused", value: { code: "interrupt_not_found" } }]);
    expect(fold([finished(), started("r2")], view).notices).toEqual([]);
  });
});

describe("reduce: who works", () => {
  const flights: AguiEvent = { type: "SUBAGENT_STARTED", subagentRunId: "s1", name: "flights_agent", description: "Finds flights" };
  const opened = [started(), { type: "STEP_STARTED", stepName: "flights_agent" } as AguiEvent, flights];

  it("a specialist works, speaks, and is done", () => {
    let view = fold([...opened, { type: "TEXT_MESSAGE_START", messageId: "m", subagentRunId: "s1" }]);
    expect(view.specialists).toMatchObject([{ id: "s1", name: "flights_agent", status: "running", current: true }]);
    expect(view.speaking).toEqual({ messageId: "m", name: "flights_agent", subagentRunId: "s1" });
    view = fold([{ type: "TEXT_MESSAGE_END", messageId: "m" }, { type: "SUBAGENT_FINISHED", subagentRunId: "s1" }], view);
    expect(view.speaking).toBeUndefined();
    expect(view.specialists[0]?.status).toBe("finished");
    view = fold([{ type: "STEP_FINISHED", stepName: "flights_agent" }], view);
    expect(view.steps).toEqual([{ name: "flights_agent", subagentRunId: undefined, running: false }]);
  });
  it("suspended, then resumed under its id", () => {
    const waiting = fold([...opened, { type: "SUBAGENT_FINISHED", subagentRunId: "s1", outcome: { type: "suspended" } }, asked()]);
    expect(waiting.specialists).toMatchObject([{ status: "suspended", current: true }]);
    expect(waiting.interrupts).toEqual([question]);
    const resumed = fold([started("r2"), flights], waiting);
    expect(resumed.specialists).toMatchObject([{ id: "s1", status: "running", current: true }]);
    expect(resumed.interrupts).toEqual([]);
  });
  it("one of an earlier run is not current", () => {
    const view = fold([...opened, { type: "SUBAGENT_FINISHED", subagentRunId: "s1" }, finished(), started("r2")]);
    expect(view.specialists).toMatchObject([{ status: "finished", current: false }]);
  });
  it("its failure is its own; the run's ends all", () => {
    expect(fold([...opened, { type: "SUBAGENT_ERROR", subagentRunId: "s1", message: "No" }])).toMatchObject({
      running: true,
      specialists: [{ status: "error", message: "No" }],
    });
    expect(fold([...opened, { type: "RUN_ERROR", message: "No" }])).toMatchObject({
      specialists: [{ status: "error" }],
      steps: [{ running: false }],
    });
  });
  it("a prelude restates who works; the rest is over", () => {
    const view = replay([started(), { type: "SUBAGENT_STARTED", subagentRunId: "s2", name: "hotels_agent" }], fold(opened));
    expect(view.specialists).toMatchObject([{ id: "s2", status: "running" }]);
  });
  it("who asked is known from the question, if nobody announced it", () => {
    expect(replay([started(), asked()]).specialists).toEqual([{ id: "s1", name: "flights_agent", status: "suspended", current: true }]);
    expect(know(emptyView, { interrupts: [{ ...question, metadata: {} }], runs: [] }).specialists).toEqual([]);
  });
  it("steps of the same name are told apart by who takes them", () => {
    const view = fold([
      started(),
      { type: "STEP_STARTED", stepName: "s", subagentRunId: "a" },
      { type: "STEP_STARTED", stepName: "s", subagentRunId: "b" },
      { type: "STEP_FINISHED", stepName: "s", subagentRunId: "b" },
    ]);
    expect(view.steps.map((s) => s.running)).toEqual([true, false]);
  });
});

describe("reduce: messages", () => {
  it("counts each message once", () => {
    const view = fold([
      { ...started(), input: { messages: [{ id: "u", role: "user" }] } } as AguiEvent,
      { type: "TEXT_MESSAGE_START", messageId: "a" },
      { type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "map", parentMessageId: "a" },
      { type: "TOOL_CALL_RESULT", messageId: "tr", toolCallId: "c", content: "" },
    ]);
    expect([...view.messageIds]).toEqual(["u", "a", "tr"]);
    expect(fold([{ type: "MESSAGES_SNAPSHOT", messages: [{ id: "a", role: "assistant" }] }], view).messageIds.size).toBe(1);
  });
});

describe("reduce: state", () => {
  it("snapshot, then deltas, each with what it changed", () => {
    let view = fold([started(), { type: "STATE_SNAPSHOT", snapshot: { a: 1, b: [] } }]);
    expect(view).toMatchObject({ state: { a: 1, b: [] }, revision: 1 });
    expect(view.changes.map((c) => c.path).sort()).toEqual(["/a", "/b"]);
    view = fold([{ type: "STATE_DELTA", delta: [{ op: "add", path: "/b/-", value: 2 }] }], view);
    expect(view).toMatchObject({ state: { a: 1, b: [2] }, revision: 2, changes: [{ op: "add", path: "/b/-" }] });
  });
  it("a delta that does not fit leaves the state and says so, until the next snapshot", () => {
    let view = fold([{ type: "STATE_SNAPSHOT", snapshot: { a: 1 } }, { type: "STATE_DELTA", delta: [{ op: "remove", path: "/x" }] }]);
    expect(view).toMatchObject({ state: { a: 1 }, revision: 1, diverged: true });
    view = fold([{ type: "STATE_DELTA", delta: [{ op: "replace", path: "/a", value: 2 }] }], view);
    expect(view).toMatchObject({ state: { a: 2 }, diverged: true });
    expect(fold([{ type: "STATE_SNAPSHOT", snapshot: { a: 3 } }], view).diverged).toBe(false);
  });
});

it("an unknown type changes nothing", () => {
  const view = fold([started()]);
  expect(reduce(view, { type: "BRAND_NEW" } as unknown as AguiEvent)).toBe(view);
});

it("nothing is changed in place", () => {
  const freeze = (v: View): View => {
    for (const part of Object.values(v)) if (typeof part === "object" && !(part instanceof Set)) Object.freeze(part);
    return Object.freeze(v);
  };
  [
    started(),
    { type: "STATE_SNAPSHOT", snapshot: { a: 1 } } as AguiEvent,
    { type: "STATE_DELTA", delta: [{ op: "add", path: "/b", value: 1 }] } as AguiEvent,
    { type: "SUBAGENT_STARTED", subagentRunId: "s1", name: "x" } as AguiEvent,
    asked(),
    started("r2"),
  ].reduce((v, e) => freeze(reduce(v, e)), freeze(emptyView));
});

it("a forgotten thread has neither a run nor a question", () => {
  expect(forgotten(fold([started()]))).toMatchObject({ running: false, runs: [{ status: "error", code: "run_lost" }] });
  expect(forgotten(fold([started(), asked()]))).toMatchObject({ interrupts: [], runs: [{ status: "interrupt" }] });
});

describe("results of calls", () => {
  const result = (toolCallId: string, content: string, metadata?: Record<string, unknown>): AguiEvent => ({ type: "TOOL_CALL_RESULT", messageId: `m-${toolCallId}`, toolCallId, content, ...(metadata && { metadata }) });
  it("come one by one, with what the gateway says of them", () => {
    const view = fold([started(), result("a", "yes"), result("b", "no", { failed: true })]);
    expect([...view.results]).toEqual([["a", { messageId: "m-a", content: "yes", metadata: undefined }], ["b", { messageId: "m-b", content: "no", metadata: { failed: true } }]]);
  });
  it("are those of the messages where these are told anew", () => {
    const metadata = { approval: { decision: "declined" } };
    const messages = [{ id: "m1", role: "user", content: "Go" }, { id: "m2", role: "tool", toolCallId: "b", content: "not approved", metadata }];
    const view = fold([started(), result("a", "withdrawn"), { type: "MESSAGES_SNAPSHOT", messages }]);
    expect([...view.results]).toEqual([["b", { messageId: "m2", content: "not approved", metadata }]]);
  });
});
