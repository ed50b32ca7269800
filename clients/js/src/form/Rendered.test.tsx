import { getDefaultFormState, type RJSFSchema } from "@rjsf/utils";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { checked } from "./check.ts";
import { marked, parse, stringify } from "./exact.ts";
import Rendered, { behaviour, validator } from "./Rendered.tsx";
import type { Schema } from "./schema.ts";
import { shownOf } from "./shown.ts";

const list = { type: "array", minItems: 1, items: { type: "object", properties: { name: { type: "string" } }, required: ["name"] } };
const optional: Schema = { type: "object", properties: { guests: list, note: { type: "string" }, to: { type: "object", properties: { city: { type: "string" } } } } };
const required: Schema = { ...optional, required: ["guests"] };

/** What a form begins with that is given a value. */
function begins(schema: Schema, value: unknown): unknown {
  const shown = (shownOf(schema) as { schema: RJSFSchema }).schema;
  return getDefaultFormState(validator, marked(shown) as RJSFSchema, marked(value), shown, undefined, behaviour);
}
const shown = (schema: Schema, value: unknown) =>
  renderToStaticMarkup(<Rendered schema={(shownOf(schema) as { schema: Schema }).schema} value={value} problems={[]} disabled={false} showProblems={false} onChange={() => {}} />);

test("a form puts nothing in that may be left out", () => {
  expect(checked(optional, begins(optional, undefined))).toEqual({ payload: {}, problems: [] });
  expect(checked(optional, begins(optional, { note: "a" }))).toEqual({ payload: { note: "a" }, problems: [] });
  expect(shown(optional, undefined)).not.toContain("schema-item");
  expect(shown(required, undefined)).toContain("schema-item");
});

test("a number with more digits than JavaScript has is shown, and stays", () => {
  const schema: Schema = { type: "object", properties: { account: { type: "integer" }, kind: { enum: [parse("1234567890123456789"), 2] }, any: {} } };
  const value = parse('{"account":9007199254740993,"kind":1234567890123456789,"any":{"id":9007199254740993}}');
  expect(stringify(checked(schema, begins(schema, value)).payload)).toBe(stringify(value));
  expect(checked(schema, begins(schema, value)).problems).toEqual([]);
  const html = shown(schema, value);
  expect(html).toContain('value="9007199254740993"');
  expect(html).toMatch(/<option value="0" selected="">1234567890123456789</);
  expect(html).toContain("&quot;id&quot;: 9007199254740993");
});
