import { describe, expect, it } from "vitest";
import { stateOf } from "./calls";

const nothing = { asked: new Set<string>(), waiting: new Set<string>(), running: false };
const decided = (decision: string, more = {}) => ({ content: "x", metadata: { approval: { decision }, ...more } });

describe("a call", () => {
  it("without a result is proposed while a person is asked, else running while the run is", () => {
    expect(stateOf("c", undefined, { ...nothing, asked: new Set(["c"]) })).toBe("proposed");
    expect(stateOf("c", undefined, { ...nothing, running: true })).toBe("running");
    expect(stateOf("c", undefined, { ...nothing, asked: new Set(["d"]) })).toBe("open");
  });

  it("without a result waits for the page, where the run has ended for that", () => {
    expect(stateOf("c", undefined, { ...nothing, waiting: new Set(["c"]) })).toBe("waiting");
    expect(stateOf("c", { content: "x" }, { ...nothing, waiting: new Set(["c"]) })).toBe("done");
  });

  it.each([
    ["done", { content: "x" }],
    ["done", decided("approved")],
    ["done", decided("edited")],
    ["done", decided("remembered")],
    ["failed", decided("approved", { failed: true })],
    ["failed", { content: "x", metadata: { failed: true } }],
    ["declined", decided("declined")],
    ["declined", decided("cancelled")],
  ])("with a result is %s: %j", (state, result) => {
    expect(stateOf("c", result, { ...nothing, running: true })).toBe(state);
  });
});
