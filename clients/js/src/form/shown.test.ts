import { describe, expect, test } from "vitest";
import { ALTERNATIVE, ANYTHING, shownOf, TAG } from "./shown.ts";

const object = (properties: object, required = Object.keys(properties)) => ({ type: "object", properties, required });
const shown = (schema: unknown) => {
  const made = shownOf(schema);
  if ("reason" in made) throw new Error(made.reason);
  return made.schema;
};

describe("what a form is made of", () => {
  const cases: [string, unknown, unknown][] = [
    ["no schema: a text", undefined, { type: "string" }],
    ["an open schema: a text", { title: "Why?" }, { title: "Why?", type: "string" }],
    ["one type beside null", { type: ["null", "integer"], minimum: 1 }, { type: "integer", minimum: 1 }],
    ["one alternative beside null", { title: "How many?", anyOf: [{ type: "integer" }, { type: "null" }] }, { title: "How many?", type: "integer" }],
    ["a choice", { enum: ["a", 2, null] }, { type: "string", oneOf: [{ const: "a", title: "a" }, { const: 2, title: "2" }, { const: null, title: "None" }] }],
    ["a constant", { const: true }, { type: "string", oneOf: [{ const: true, title: "Yes" }] }],
    ["values with titles", { oneOf: [{ const: 1, title: "One" }, { const: 2 }] }, { type: "string", oneOf: [{ const: 1, title: "One" }, { const: 2, title: "2" }] }],
    ["members by their names", object({ first_name: { type: "string" } }), object({ first_name: { type: "string", title: "First name" } })],
    ["a reference", { ...object({ a: { $ref: "#/$defs/a", title: "A" } }), $defs: { a: { type: "number" } } }, { ...object({ a: { type: "number", title: "A" } }), $defs: { a: { type: "number" } } }],
    ["a member that may be anything", object({ a: {} }), object({ a: { title: "A", [ANYTHING]: true } })],
    ["a member that may be any object", object({ a: { type: "object" } }), object({ a: { title: "A", [ANYTHING]: "object" } })],
    ["a file", { type: "string", contentEncoding: "base64" }, { type: "string", contentEncoding: "base64", format: "data-url" }],
    ["places", { type: "array", prefixItems: [{ type: "string" }], items: false }, { type: "array", items: [{ type: "string" }] }],
    ["several types", { type: ["string", "integer"] }, { anyOf: [{ title: "Text", type: "string", [ALTERNATIVE]: true }, { title: "Whole number", type: "integer", [ALTERNATIVE]: true }] }],
  ];
  test.each(cases)("%s", (_, schema, made) => expect(JSON.parse(JSON.stringify(shown(schema)))).toEqual(made));

  test("the tag of an alternative is filled in by choosing it", () => {
    const schema = { anyOf: [object({ kind: { const: "by_train" }, seat: { type: "string" } }), { type: "string" }] };
    expect(shown(schema)["anyOf"]).toMatchObject([{ title: "By train", properties: { kind: { const: "by_train", default: "by_train", [TAG]: true } } }, { title: "Text" }]);
  });

  test("a group that may be left out can be none of its alternatives", () => {
    const way = { oneOf: [object({ train: { type: "string" } }), object({ bus: { type: "string" } })] };
    const titles = (schema: unknown) => (shown(schema) as any).properties.way.oneOf.map(({ title }: { title: string }) => title);
    expect(titles(object({ way }, []))).toEqual(["None", "Object", "Object"]);
    expect(titles(object({ way }))).toEqual(["Object", "Object"]);
    expect(titles(object({ way: { oneOf: [...way.oneOf, { type: "null" }] } }))).toEqual(["None", "Object", "Object"]);
  });

  test("what an optional group has by default does not make it an answer", () => {
    const city = { type: "string" };
    const country = { type: "string", default: "NL" };
    const optional = shown(object({ to: object({ city, country }, ["city"]) }, []));
    expect(optional).not.toHaveProperty("properties.to.properties.country.default");
    expect(shown(object({ to: object({ city, country }, ["city"]) }))).toHaveProperty("properties.to.properties.country.default");
  });
});

describe("what no form is made of", () => {
  const tree = { type: "object", properties: { children: { type: "array", items: { $ref: "#" } } } };
  const endless = { $ref: "#/$defs/a", $defs: { a: { type: "object", properties: { a: { $ref: "#/$defs/a" } } } } };
  const doubling = { $ref: "#/$defs/d0", $defs: Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`d${i}`, object({ a: { $ref: `#/$defs/d${i + 1}` }, b: { $ref: `#/$defs/d${i + 1}` } })])) };
  const cases: [string, unknown, RegExp][] = [
    ["any object", { type: "object" }, /which fields/],
    ["any list", { type: "array" }, /which fields/],
    ["an unknown type", { type: "date" }, /unknown here: "date"/],
    ["a reference to elsewhere", object({ a: { $ref: "https://example.org/a" } }), /another document/],
    ["a reference to nothing", object({ a: { $ref: "#/$defs/a" } }), /not there/],
    ["a tree", tree, /itself/],
    ["one without end", endless, /itself/],
    ["one that doubles", doubling, /deep|parts/],
    ["a great many members", object(Object.fromEntries(Array.from({ length: 400 }, (_, i) => [`m${i}`, { type: "string" }]))), /too many/],
    ["a thousand million items", object({ a: { type: "array", items: { type: "string" }, minItems: 1e9 } }), /too many items/],
    ["rubbish inside", object({ a: 5 }), /no JSON Schema/],
  ];
  test.each(cases)("%s", (_, schema, why) => expect(shownOf(schema)).toEqual({ reason: expect.stringMatching(why) }));
});
