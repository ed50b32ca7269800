import { describe, expect, test } from "vitest";
import { difference } from "./difference";

const view = (over: object) => ({ running: false, runs: [], replays: 0, messageIds: new Set<string>(), interrupts: [], ...over }) as Parameters<typeof difference>[0];
const ids = (...list: string[]) => list.map((id) => ({ id }));

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
  test.each(cases)("%s", (_, over, local, pending, differs) => {
    expect(difference(view(over), ids(...local), ids(...pending)) !== "").toBe(differs);
  });

  test("tells one difference from the next", () => {
    const first = difference(view({ messageIds: new Set(["x"]) }), [], []);
    const second = difference(view({ messageIds: new Set(["x", "y"]) }), [], []);
    expect(first).not.toBe(second);
  });
});
