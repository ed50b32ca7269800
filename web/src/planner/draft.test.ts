import { expect, test } from "vitest";
import type { Interrupt } from "../gateway/types";
import { answerOf, emptyDraft } from "./draft";

const form = (properties: object, required: string[]): Interrupt => ({ id: "q", reason: "input_required", responseSchema: { type: "object", properties, required } });
const name = form({ name: { type: "string" } }, ["name"]);
const optional = form({ note: { type: "string" }, gift: { type: "boolean" } }, []);
const options: Interrupt = { id: "q", reason: "input_required", metadata: { value: { options: [{ airline: "KLM" }, { airline: "United" }] } } };

test("nothing filled in is no answer where something is wanted", () => {
  expect(answerOf(name, emptyDraft)).toBeUndefined();
  expect(answerOf(options, emptyDraft)).toBeUndefined();
});

test("what was deleted is no answer", () => expect(answerOf(name, { values: { 0: "" } })).toBeUndefined());

test("where everything may be left out, leaving it out is an answer", () => {
  expect(answerOf(optional, emptyDraft)).toEqual({ payload: {} });
  expect(answerOf(optional, { values: { 0: "", 1: undefined } })).toEqual({ payload: {} });
  expect(answerOf(optional, { values: { 1: false } })).toEqual({ payload: { gift: false } });
});

test("an option is the answer, wherever it stands", () => {
  expect(answerOf(options, { values: {}, option: 1 })).toEqual({ payload: { airline: "United" } });
});
