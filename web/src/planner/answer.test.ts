import { describe, expect, test } from "vitest";
import { pick } from "../gateway/schema";
import { type Field, fieldsOf, payloadOf, problem, words } from "./answer";

const one = (schema: unknown): Field => fieldsOf(schema)[0]!;

describe("fieldsOf", () => {
  const kinds: [string, unknown, Field["kind"]][] = [
    ["no schema", undefined, "text"],
    ["a string", { type: "string" }, "text"],
    ["a number", { type: "number" }, "number"],
    ["an integer that may be null", { type: ["null", "integer"] }, "integer"],
    ["a boolean", { type: "boolean" }, "boolean"],
    ["an enum", { enum: ["a", 2, null] }, "choice"],
    ["a constant", { const: "yes" }, "choice"],
    ["an array", { type: "array" }, "list"],
    ["an object without members", { type: "object", properties: {} }, "object"],
    ["the first of several that is not null", { anyOf: [{ type: "null" }, { type: "integer" }, { type: "string" }] }, "integer"],
    ["one of several", { oneOf: [{ type: "boolean" }] }, "boolean"],
    ["nothing but null", { anyOf: [{ type: "null" }] }, "text"],
    ["rubbish", "string", "text"],
  ];
  test.each(kinds)("%s", (_, schema, kind) => expect(one(schema).kind).toBe(kind));

  test("an object has a field for each member", () => {
    const schema = {
      type: "object",
      required: ["firstName"],
      properties: { firstName: { type: "string", maxLength: 3, description: "as in your passport" }, seats: { type: "integer", minimum: 1, title: "How many?" } },
    };
    expect(fieldsOf(schema)).toEqual([
      { key: "firstName", label: "First name", kind: "text", required: true, choices: [], maxLength: 3, description: "as in your passport" },
      { key: "seats", label: "How many?", kind: "integer", required: false, choices: [], minimum: 1 },
    ]);
  });

  test("what stands beside the alternatives holds for each of them", () => {
    expect(one({ title: "How many?", anyOf: [{ type: "integer", minimum: 1 }, { type: "null" }] })).toMatchObject({ label: "How many?", kind: "integer", minimum: 1 });
    expect(fieldsOf({ anyOf: [{ type: "object", properties: { a: {}, b: {} } }, { type: "null" }] }).map(({ key }) => key)).toEqual(["a", "b"]);
  });

  test("a lone value is just the answer", () => {
    expect(one({ type: "object", required: ["value"], properties: { value: { type: "string" } } }).label).toBe("Your answer");
  });
});

describe("problem", () => {
  const number = one({ type: "integer", minimum: 1, maximum: 9 });
  const text = one({ type: "string", minLength: 2, maxLength: 3 });
  const cases: [Field, unknown, boolean][] = [
    [number, "5", false],
    [number, "", true],
    [number, "1.5", true],
    [number, "0", true],
    [number, "10", true],
    [number, "many", true],
    [text, "ab", false],
    [text, "a", true],
    [text, "abcd", true],
    [{ ...text, required: false }, "", false],
    [one({ type: "boolean" }), false, false],
    [one({ type: "boolean" }), undefined, true],
    [one({ type: "array" }), "Ada", true],
    [one({ type: "array" }), '{"a":1}', true],
    [one({ type: "array" }), "[]", false],
    [one({ type: "object" }), "[]", true],
    [one({ type: "object" }), "null", true],
    [one({ type: "object" }), '{"a":1}', false],
  ];
  test.each(cases)("%o of %o", (field, value, bad) => expect(problem(field, value) !== undefined).toBe(bad));
});

describe("payloads", () => {
  test("of a form: numbers are numbers, what is empty is absent", () => {
    const fields = fieldsOf({ type: "object", properties: { n: { type: "number" }, s: { type: "string" }, b: { type: "boolean" } } });
    expect(payloadOf(fields, { 0: "2.5", 1: "", 2: false })).toEqual({ n: 2.5, b: false });
  });
  test("of lists and objects: what the JSON says", () => {
    const fields = fieldsOf({ type: "object", properties: { l: { type: "array" }, o: { type: "object" }, none: { type: "array" } } });
    expect(payloadOf(fields, { 0: "[1]", 1: '{"a":1}', 2: "" })).toEqual({ l: [1], o: { a: 1 } });
  });
  test("of a value by itself", () => expect(payloadOf(fieldsOf({ type: "integer" }), { 0: "0" })).toBe(0));

  const wraps: [unknown, unknown, unknown][] = [
    [{ airline: "KLM" }, { type: "object", required: ["airline"] }, { airline: "KLM" }],
    ["M", { type: "object", required: ["value"], properties: { value: { enum: ["S", "M"] } } }, { value: "M" }],
    ["M", { type: "object", properties: { size: {} } }, { size: "M" }],
    ["M", { enum: ["S", "M"] }, "M"],
    ["M", undefined, "M"],
    [0, { type: "object", required: ["n"] }, { n: 0 }],
  ];
  test.each(wraps)("of the option %o under %o", (option, schema, payload) => expect(pick(option, schema)).toEqual(payload));
});

test("words", () => {
  expect(["price_per_night", "pricePerNight", "name", "two-words"].map(words)).toEqual(["Price per night", "Price per night", "Name", "Two words"]);
});
