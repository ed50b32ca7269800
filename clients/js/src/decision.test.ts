import { describe, expect, it } from "vitest";
import { marked, parse } from "./form/index.ts";
import type { Approval } from "./approval.ts";
import { answerOfDecision, editedOf } from "./decision.ts";

const call: Approval = {
  tool: "refund",
  description: "",
  why: "",
  arguments: { order: "A-1", euros: 40 },
  truncated: false,
  masked: false,
  schema: { type: "object", properties: { order: { type: "string" }, euros: { type: "integer", maximum: 100 } }, required: ["order", "euros"] },
  reasons: true,
  remember: ["thread", "principal"],
};
const edited = (value: unknown) => ({ edited: { value } });

describe("the answer to a question about a call", () => {
  it("is none before somebody has decided", () => {
    expect(answerOfDecision(call, { reason: "because" })).toBeUndefined();
  });

  it("approves or declines, with a reason where there is one", () => {
    expect(answerOfDecision(call, { approved: true, reason: "  " })).toEqual({ payload: { approved: true } });
    expect(answerOfDecision(call, { approved: false, reason: " not this customer " })).toEqual({ payload: { approved: false, reason: "not this customer" } });
  });

  it("has edited arguments whole, and nothing where they are what they were", () => {
    expect(answerOfDecision(call, { approved: true, ...edited({ order: "A-1", euros: 20 }) })).toEqual({ payload: { approved: true, editedArgs: { order: "A-1", euros: 20 } } });
    expect(answerOfDecision(call, { approved: true, ...edited({ order: "A-1", euros: 40 }) })).toEqual({ payload: { approved: true } });
  });

  it("changes the member that was edited, and no other", () => {
    const properties = { account: { type: "integer" }, share: { type: "number" }, note: { type: "string" } };
    const exact: Approval = { ...call, arguments: parse('{"account":9007199254740993,"share":0.1234567890123456789,"note":"a"}'), schema: { type: "object", properties } };
    const form = marked(exact.arguments) as Record<string, unknown>; // what the form holds
    expect(answerOfDecision(exact, { approved: true, ...edited(form) })).toEqual({ payload: { approved: true } });
    const noted = { ...form, note: "b" };
    expect(editedOf(exact, edited(noted))?.changes).toEqual([{ name: "note", before: "a", after: "b" }]);
    expect(answerOfDecision(exact, { approved: true, ...edited(noted) })).toEqual({ payload: '{"approved":true,"editedArgs":{"account":9007199254740993,"share":0.1234567890123456789,"note":"b"}}' });
    // Its neighbour is another number, although a browser has but one for both.
    expect(answerOfDecision(exact, { approved: true, ...edited({ ...form, account: 9007199254740992 }) })?.payload).toMatch('"account":9007199254740992,"share":0.1234567890123456789');
  });

  it("does not approve of arguments that do not fit, and declines them all the same", () => {
    const wrong = edited({ order: "A-1", euros: 400 });
    expect(editedOf(call, wrong)?.problems.map(({ path }) => path)).toEqual(["/euros"]);
    expect(answerOfDecision(call, { approved: true, ...wrong })).toBeUndefined();
    expect(answerOfDecision(call, { approved: false, ...wrong })).toEqual({ payload: { approved: false } });
  });

  it("has no more arguments than the gateway takes", () => {
    expect(answerOfDecision(call, { approved: true, ...edited({ order: "é".repeat(9000), euros: 1 }) })).toBeUndefined();
  });

  it("counts for later calls only with the arguments as they are, and only if approved", () => {
    expect(answerOfDecision(call, { approved: true, remember: "thread" })).toEqual({ payload: { approved: true, remember: "thread" } });
    expect(answerOfDecision(call, { approved: true, remember: "thread", ...edited({ order: "B", euros: 1 }) })?.payload).not.toHaveProperty("remember");
    expect(answerOfDecision(call, { approved: false, remember: "thread" })).toEqual({ payload: { approved: false } });
  });
});
