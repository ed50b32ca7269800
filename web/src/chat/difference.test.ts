import { describe, expect, test } from "vitest";
import { difference, type Held, hasLaterState } from "./difference";

const told = [{ runId: "told", status: "success", replay: true }];
const view = (over: object) => ({ running: false, runs: told, replays: 0, messageIds: new Set<string>(), interrupts: [], ...over }) as Parameters<typeof difference>[0];
const ids = (...list: string[]) => list.map((id) => ({ id }));
const held = (over: Partial<Held>): Held => ({ messages: [], pending: [], expired: new Set(), ended: "", ...over });

describe("difference", () => {
  const cases: [string, object, string[], string[], boolean][] = [
    ["nothing anywhere", {}, [], [], false],
    ["the same on both sides", { messageIds: new Set(["a", "b"]), interrupts: ids("q") }, ["a", "b"], ["q"], false],
    ["questions in another order", { interrupts: ids("p", "q") }, [], ["q", "p"], false],
    ["a message said here, not heard of there yet", { messageIds: new Set(["a"]) }, ["a", "mine"], [], false],
    ["a message of somebody else", { messageIds: new Set(["a", "theirs"]) }, ["a"], [], true],
    ["a question answered elsewhere", {}, [], ["q"], true],
    ["a question asked elsewhere", { interrupts: ids("q") }, [], [], true],
    ["another question than the one shown", { interrupts: ids("p") }, [], ["q"], true],
    ["a run that nobody here reads", { running: true }, [], [], true],
  ];
  test.each(cases)("%s", (_, over, messages, pending, differs) => {
    expect(difference(view(over), held({ messages: ids(...messages), pending: ids(...pending) })) !== "").toBe(differs);
  });

  test("of a thread that has told nothing yet nothing is known", () => {
    expect(difference(view({ runs: [] }), held({ messages: ids("a"), pending: ids("q") }))).toBe("");
  });

  test("a question that has expired is asked by nobody", () => {
    const open = view({ interrupts: ids("p", "q") });
    expect(difference(open, held({ pending: ids("q"), expired: new Set(["p"]) }))).toBe("");
    expect(difference(open, held({ expired: new Set(["p", "q"]) }))).toBe("");
    expect(difference(open, held({ pending: ids("p", "q"), expired: new Set(["p"]) }))).toBe("");
  });

  test("a run whose end was read here is nothing new, the next one is", () => {
    const running = view({ running: true, runs: [{ runId: "r", status: "running", replay: false }] });
    expect(difference(running, held({ ended: "r" }))).toBe("");
    expect(difference(running, held({ ended: "the one before" }))).not.toBe("");
  });

  test("tells one difference from the next", () => {
    const first = difference(view({ messageIds: new Set(["x"]) }), held({}));
    const second = difference(view({ messageIds: new Set(["x", "y"]) }), held({}));
    expect(first).not.toBe(second);
  });
});

test("the state of a run that ended after those this tab has read is newer", () => {
  const run = (runId: string, replay = false) => ({ runId, status: "success" as const, replay });
  const after = { running: false, diverged: false, runs: [run("mine"), run("theirs")] };
  expect(hasLaterState(after, ["mine"])).toBe(true);
  expect(hasLaterState(after, ["mine", "theirs"])).toBe(false);
  for (const other of [{ running: true }, { diverged: true }, { runs: [] }, { runs: [run("told", true)] }]) expect(hasLaterState({ ...after, ...other }, ["mine"])).toBe(false);
});
