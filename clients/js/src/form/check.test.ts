import { describe, expect, test } from "vitest";
import { checked, problemsOf } from "./check.ts";
import { JsonText } from "./json.ts";
import { schemaOf } from "./schema.ts";
import { isCheap } from "./validator.ts";

const object = (properties: object, required = Object.keys(properties)) => ({ type: "object", properties, required });
const texts = (schema: unknown, value: unknown) => problemsOf(schema, value).map(({ path, text }) => `${path} ${text}`);

describe("what is wrong is said where it is", () => {
  const cases: [string, unknown, unknown, string[]][] = [
    ["nothing", undefined, undefined, [" Please answer this."]],
    ["a text", undefined, "Ada", []],
    ["a missing member", object({ name: { type: "string" } }), undefined, ["/name Please answer this."]],
    ["a deleted member", object({ name: { type: "string" } }), { name: undefined }, ["/name Please answer this."]],
    ["a number for a text", object({ n: { type: "integer" } }), { n: "many" }, ["/n Please enter a whole number."]],
    ["a part of a number", { type: "integer" }, 1.5, [" Please enter a whole number."]],
    ["too little", { type: "number", minimum: 1 }, 0, [" At least 1, please."]],
    ["too much", { type: "number", maximum: 9.5 }, 10, [" At most 9.5, please."]],
    ["a step", { type: "number", multipleOf: 0.5 }, 0.7, [" Please enter a multiple of 0.5."]],
    ["too short", { type: "string", minLength: 2 }, "a", [" At least 2 characters, please."]],
    ["too long", { type: "string", maxLength: 3 }, "abcd", [" At most 3 characters, please."]],
    ["a pattern", { type: "string", pattern: "^[A-Z]+$" }, "a", [" This does not have the form that is wanted."]],
    ["no date", { type: "string", format: "date" }, "tomorrow", [" Please enter a date."]],
    ["no address", { type: "string", format: "email" }, "ada", [" Please enter an e-mail address."]],
    ["none of the values", { enum: ["a", 2] }, "b", [" Please choose one of the values that are offered."]],
    ["too few", { type: "array", minItems: 2, items: {} }, ["a"], [" At least 2 of these, please."]],
    ["an item", { type: "array", items: { type: "string" } }, ["a", 1], ["/1 Please enter a text."]],
    ["an empty item", { type: "array", items: { type: "string" } }, ["a", undefined], ["/1 Please answer this."]],
    ["a key with signs", object({ "a/b ~c": { type: "string" } }), {}, ["/a~1b ~0c Please answer this."]],
    ["a nested member", object({ to: object({ city: { type: "string" } }) }), { to: {} }, ["/to/city Please answer this."]],
    ["what is not allowed", { ...object({ a: {} }, []), additionalProperties: false }, { b: 1 }, ["/b This may not be there."]],
    ["the nearest of several", { anyOf: [{ type: "string", minLength: 2 }, { type: "integer" }] }, "x", [" At least 2 characters, please."]],
    ["the kind that was chosen", { oneOf: [object({ kind: { const: "a" }, x: { type: "string" } }), object({ kind: { const: "b" }, y: { type: "string" } })] }, { kind: "b" }, ["/y Please answer this."]],
  ];
  test.each(cases)("%s", (_, schema, value, said) => expect(texts(schema, value)).toEqual(said));
});

describe("what was left empty", () => {
  const note = { type: "string" };
  test("is left out", () => expect(checked(object({ note, n: { type: "number" } }, []), { note: undefined, n: 2.5 }).payload).toEqual({ n: 2.5 }));
  test("is an empty answer where everything may be left out", () => expect(checked(object({ note }, []), undefined)).toEqual({ payload: {}, problems: [] }));
  test("is an empty text where that is the default", () => {
    expect(checked(schemaOf({ reason: "confirmation" }), undefined)).toEqual({ payload: "", problems: [] });
    expect(texts(schemaOf({ reason: "input_required" }), undefined)).toEqual([" Please answer this."]);
  });
  test("is left out where it is a list that may not be empty, and stays where it may be", () => {
    const guests = { type: "array", minItems: 1, items: note };
    expect(checked(object({ guests, note }, ["note"]), { guests: [], note: "a" })).toEqual({ payload: { note: "a" }, problems: [] });
    expect(checked(object({ guests: { type: "array", items: note } }, []), { guests: [] }).payload).toEqual({ guests: [] });
    expect(texts(object({ guests }), { guests: [] })).toEqual(["/guests Please answer this."]);
    expect(texts(guests, [])).toEqual([" At least 1 of these, please."]);
  });
  test("leaves out the group it was in", () => {
    const schema = object({ to: object({ city: note }) }, []);
    expect(checked(schema, { to: { city: undefined } })).toEqual({ payload: {}, problems: [] });
  });
  test("is an empty group where there has to be one", () => {
    const schema = object({ to: object({ city: note }, []) });
    expect(checked(schema, { to: { city: undefined } })).toEqual({ payload: { to: {} }, problems: [] });
  });
  test("is null where it has to be there and may be null", () => {
    const schema = object({ n: { anyOf: [{ type: "integer" }, { type: "null" }] } });
    expect(checked(schema, { n: undefined })).toEqual({ payload: { n: null }, problems: [] });
  });
  test("is left out where it is null and may not be", () => {
    expect(checked(object({ n: { type: "integer" } }, []), { n: null })).toEqual({ payload: {}, problems: [] });
    expect(texts(object({ n: { type: "integer" } }), { n: null })).toEqual(["/n Please answer this."]);
  });
  test("is missing where null is one of the choices", () => expect(texts(object({ x: { enum: ["a", null] } }), {})).toEqual(["/x Please answer this."]));
  test("is missing where anything goes", () => expect(texts(object({ x: {} }), {})).toEqual(["/x Please answer this."]));
  test("stays, if it was there as an empty object", () => expect(checked(object({ filter: { type: "object" } }, []), { filter: {} }).payload).toEqual({ filter: {} }));
});

describe("an answer that is written as JSON", () => {
  const schema = object({ n: { type: "integer" } });
  test("is what it says", () => expect(checked(schema, new JsonText('{"n": 1}'))).toEqual({ payload: { n: 1 }, problems: [] }));
  test("is held against the schema", () => expect(texts(schema, new JsonText("{}"))).toEqual(["/n Please answer this."]));
  test("says where it is none", () => expect(texts(schema, new JsonText('{\n  "n": x\n}'))).toEqual([" This is not JSON yet: look at line 2, column 8."]));
  test("says where it ends too early", () => expect(texts(schema, new JsonText('{"n": 1'))).toEqual([" This is not JSON yet: look at line 1, column 8."]));
  test("is missing while it is empty", () => expect(texts(schema, new JsonText(" "))).toEqual([" Please answer this."]));
});

describe("a schema that cannot be checked whole is checked as far as it can be", () => {
  const cases: [string, unknown, unknown, string[]][] = [
    ["a reference to elsewhere", object({ a: { $ref: "https://example.org/a" }, b: { type: "string" } }), { a: 1, b: 2 }, ["/b Please enter a text."]],
    ["another language's pattern", object({ a: { type: "string", pattern: "(?i)a" }, b: { type: "string" } }), { a: "A", b: 2 }, ["/b Please enter a text."]],
    ["one that refers to itself", { $ref: "#" }, "a", []],
    ["an older draft", { $schema: "http://json-schema.org/draft-07/schema#", definitions: { n: { type: "integer" } }, $ref: "#/definitions/n" }, "a", [" Please enter a whole number."]],
    ["rubbish", { type: "object", properties: 5, required: "name", enum: 3 }, {}, []],
    ["an unknown type", object({ a: { type: "date" }, b: { type: "string" } }), { a: 1, b: 2 }, ["/b Please enter a text."]],
    ["a text", "rubbish", "a", []],
  ];
  test.each(cases)("%s", (_, schema, value, said) => expect(texts(schema, value)).toEqual(said));
  test("where a pattern would take for ever", () => {
    const hangs = { type: "string", pattern: "^(a+)+$" };
    expect(texts(object({ a: hangs, b: { type: "string" } }), { a: `${"a".repeat(40)}!`, b: 2 })).toEqual(["/b Please enter a text."]);
    expect(texts({ type: "object", patternProperties: { "^(a+)+$": { type: "string" } }, additionalProperties: false }, { [`${"a".repeat(40)}!`]: 1 })).toEqual([]);
    expect(texts({ type: "string", pattern: "^[a-z]*[a-z]*!$" }, "a".repeat(501))).toEqual([]);
  });
  test.each(["^[A-Z]{2}-\\d+$", "^(red|green)$", "^[^@]+@[^@]+\\.[^@]+$", "a+", "^\\p{L}(?:x[)+*]y)?$"])("and %s can be", (pattern) => expect(isCheap(pattern)).toBe(true));
  test.each(["(a+)+", "(a|a)*b", "(a{1,9}){9}", "a*b*c*d*", "^(a|b)(a|b)(a|b)(a|b)", "^(a)\\1", "^(?<n>a)\\k<n>", "a{5000}", "(", 7])("and %s cannot", (pattern) => expect(isCheap(pattern)).toBe(false));
  test("and stays as it was", () => {
    const schema = { $ref: "#/$defs/a", $defs: { a: { type: "string" } } };
    const before = JSON.stringify(schema);
    problemsOf(schema, "a");
    expect([JSON.stringify(schema), Object.getOwnPropertyNames(schema.$defs.a)]).toEqual([before, ["type"]]);
  });
});
