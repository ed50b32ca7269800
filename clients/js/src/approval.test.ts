import { describe, expect, it } from "vitest";
import { stringify } from "./form/exact.ts";
import { approvalOf, decidedOf } from "./approval.ts";
import type { Interrupt, InterruptCard } from "./types.ts";

const schema = { type: "object", properties: { euros: { type: "integer" } } };
const responseSchema = { type: "object", properties: { approved: { type: "boolean" }, editedArgs: schema, reason: { type: "string" } }, required: ["approved"] };
const value = { tool: "refund", description: "Gives money back.", arguments: { euros: 40 }, schema, why: "It never arrived.", remember: ["thread"] };
const asks = (more: object, schema: Record<string, unknown> = responseSchema): Interrupt => ({ id: "i", reason: "tool_call", responseSchema: schema, metadata: { value: { ...value, ...more } as InterruptCard } });

describe("the question about a call", () => {
  it("shows the call, and what may be answered", () => {
    expect(approvalOf(asks({}))).toEqual({
      tool: "refund",
      description: "Gives money back.",
      why: "It never arrived.",
      arguments: { euros: 40 },
      truncated: false,
      masked: false,
      schema,
      reasons: true,
      remember: ["thread"],
    });
  });

  it("asks for no reason where the answer may have none", () => {
    expect(approvalOf(asks({}, { type: "object", properties: { approved: { type: "boolean" } } }))?.reasons).toBe(false);
  });

  it.each<[string, Interrupt]>([
    ["too long to be shown whole", asks({ truncated: true, arguments: '{"euros":4' })],
    ["not to be shown", asks({ truncated: true, arguments: undefined })],
    ["shown with parts replaced", asks({ masked: true })],
    ["not to be edited", asks({}, { type: "object", properties: { approved: { type: "boolean" } } })],
    ["no object", asks({ arguments: [1] })],
  ])("arguments that are %s have no schema to edit them by", (_, interrupt) => {
    expect(approvalOf(interrupt)?.schema).toBeUndefined();
  });

  it("edited arguments are held against what the answer's schema says where the tool's is left out", () => {
    const open = { type: "object" };
    expect(approvalOf(asks({ schema: undefined }, { ...responseSchema, properties: { editedArgs: open } }))?.schema).toEqual(open);
  });

  it("has numbers as they are written, where the gateway says so", () => {
    const shown = (more: object) => stringify(approvalOf(asks(more))?.arguments);
    const argumentsText = '{"account":9007199254740993,"euros":1.50}';
    expect(shown({ arguments: { account: 9007199254740992, euros: 1.5 }, argumentsText })).toBe(argumentsText);
    for (const text of [7, "rubbish", "[1]"]) expect(shown({ argumentsText: text })).toBe('{"euros":40}');
  });

  it("is edited without defaults", () => {
    const properties = { default: { type: "string", default: "EUR" }, tags: { type: "array", items: { type: "string", default: "a" }, default: ["a"] }, kind: { enum: [{ default: 1 }] } };
    expect(approvalOf(asks({ schema: { type: "object", properties } }))?.schema).toEqual({
      type: "object",
      properties: { default: { type: "string" }, tags: { type: "array", items: { type: "string" } }, kind: { enum: [{ default: 1 }] } },
    });
  });

  it("another question is none about a call", () => {
    expect(approvalOf({ ...asks({}), reason: "input_required" })).toBeUndefined();
    expect(approvalOf({ id: "i", reason: "tool_call", metadata: { value: { message: "May I?" } } })).toBeUndefined();
    expect(approvalOf({ id: "i", reason: "tool_call" })).toBeUndefined();
  });
});

describe("what was decided about a call", () => {
  it("is read from its result", () => {
    expect(decidedOf({ approval: { decision: "edited", arguments: { euros: 20 }, reason: "half", by: "key:ann" } })).toEqual({
      decision: "edited",
      arguments: { euros: 20 },
      reason: "half",
      by: "key:ann",
    });
    expect(decidedOf({ approval: { decision: "remembered", remember: "thread", id: "apr_1" } })).toEqual({ decision: "remembered", remember: "thread", reason: "", by: "" });
  });

  it("is unknown where nobody was asked, or a newer gateway says something else", () => {
    for (const metadata of [undefined, {}, { approval: null }, { approval: "declined" }, { approval: { decision: "deferred" } }]) expect(decidedOf(metadata)).toBeUndefined();
  });
});
