import { describe, expect, test } from "vitest";
import { parse, stringify } from "./form/index.ts";
import type { Interrupt } from "./types.ts";
import { pick } from "./schema.ts";
import { answerOf, decidesAlone, emptyDraft, optionsOf } from "./draft.ts";

const form = (properties: object, required: string[]): Interrupt => ({ id: "q", reason: "input_required", responseSchema: { type: "object", properties, required } });
const name = form({ name: { type: "string" } }, ["name"]);
const optional = form({ note: { type: "string" }, gift: { type: "boolean" } }, []);
const options: Interrupt = { id: "q", reason: "input_required", metadata: { value: { options: [{ airline: "KLM" }, { airline: "United" }] } } };

test("nothing filled in is no answer where something is wanted", () => {
  expect(answerOf(name, emptyDraft)).toBeUndefined();
  expect(answerOf(options, emptyDraft)).toBeUndefined();
});

test("what was deleted is no answer", () => expect(answerOf(name, { value: { name: undefined } })).toBeUndefined());

test("where everything may be left out, leaving it out is an answer", () => {
  expect(answerOf(optional, emptyDraft)).toEqual({ payload: {} });
  expect(answerOf(optional, { value: { note: undefined, gift: undefined } })).toEqual({ payload: {} });
  expect(answerOf(optional, { value: { gift: false } })).toEqual({ payload: { gift: false } });
});

test("an option is the answer, wherever it stands", () => {
  expect(answerOf(options, { option: 1 })).toEqual({ payload: { airline: "United" } });
});

test("an option keeps its numbers", () => {
  const orders = parse('[{"order":9007199254740993},{"order":9007199254740992}]') as unknown[];
  expect(stringify(answerOf({ ...options, metadata: { value: { options: orders } } }, { option: 0 })?.payload)).toBe('{"order":9007199254740993}');
});

test("what an object with other members offers is not all of the answer", () => {
  const size = { enum: ["S", "M"] };
  expect(optionsOf(form({ size }, ["size"]))).toEqual(["S", "M"]);
  expect(optionsOf(form({ size }, []))).toEqual([]);
  expect(optionsOf(form({ size, name: {} }, ["size"]))).toEqual([]);
  expect(optionsOf({ id: "q", reason: "input_required", responseSchema: { const: "yes" } })).toEqual(["yes"]);
});

test("a yes or a no decides alone where nothing else is asked", () => {
  expect(decidesAlone({ type: "boolean" })).toBe(true);
  expect(decidesAlone(form({ approved: { type: "boolean" } }, ["approved"]).responseSchema)).toBe(true);
  expect(decidesAlone(optional.responseSchema)).toBe(false);
  expect(decidesAlone(undefined)).toBe(false);
});

describe("the payload that picks an option", () => {
  const wraps: [unknown, unknown, unknown][] = [
    [{ airline: "KLM" }, { type: "object", required: ["airline"] }, { airline: "KLM" }],
    ["M", { type: "object", required: ["value"], properties: { value: { enum: ["S", "M"] } } }, { value: "M" }],
    ["M", { type: "object", properties: { size: {} } }, { size: "M" }],
    ["M", { enum: ["S", "M"] }, "M"],
    ["M", undefined, "M"],
    [0, { type: "object", required: ["n"] }, { n: 0 }],
  ];
  test.each(wraps)("%o under %o", (option, schema, payload) => expect(pick(option, schema)).toEqual(payload));
});
