// Holds values against JSON Schemas. It interprets a schema, where the usual validators compile it with `new Function`, which a
// strict content security policy forbids.

import { dereference, type OutputUnit, type Schema as Checkable, type SchemaDraft, validate } from "@cfworker/json-schema";
import { isSchema, type Schema, TYPES } from "./schema";

interface Prepared {
  schema: Checkable;
  draft: SchemaDraft;
  lookup: Record<string, Checkable | boolean>;
}

const prepared = new WeakMap<object, Prepared | undefined>();

/**
 * What of a value does not fit a schema. What cannot be checked here is left to the gateway: references to elsewhere, patterns
 * of other languages, a schema that is none.
 */
export function unfit(schema: Schema, value: unknown): OutputUnit[] {
  if (!prepared.has(schema)) prepared.set(schema, prepare(schema));
  const ready = prepared.get(schema);
  if (!ready) return [];
  try {
    return validate(value, ready.schema, ready.draft, ready.lookup, false).errors;
  } catch {
    return []; // it refers to itself without end
  }
}

function prepare(original: Schema): Prepared | undefined {
  try {
    const schema = structuredClone(original) as Checkable;
    const lookup = dereference(schema);
    for (const part of Object.values(lookup)) if (isSchema(part)) leaveOut(part, lookup);
    return { schema, draft: draftOf(schema), lookup };
  } catch {
    return undefined;
  }
}

const isTypes = (value: unknown) => [value].flat().every((type) => typeof type === "string" && TYPES.includes(type));

// What the value of a keyword has to be for it to say anything.
const MEANT: Record<string, (value: unknown) => boolean> = {
  ...{ required: Array.isArray, enum: Array.isArray, anyOf: Array.isArray, oneOf: Array.isArray, allOf: Array.isArray },
  ...{ properties: isSchema, patternProperties: isSchema, type: isTypes },
};

/** Removes of a part of a schema what cannot be checked. */
function leaveOut(part: Schema, lookup: Prepared["lookup"]) {
  const target = part["__absolute_ref__"];
  if (typeof target === "string" && lookup[target] === undefined) delete part["$ref"];
  for (const [keyword, is] of Object.entries(MEANT)) if (part[keyword] !== undefined && !is(part[keyword])) delete part[keyword];
  if (part["pattern"] !== undefined && !isPattern(part["pattern"])) delete part["pattern"];
  const patterns = part["patternProperties"];
  if (isSchema(patterns)) for (const pattern of Object.keys(patterns)) if (!isPattern(pattern)) delete patterns[pattern];
}

function isPattern(pattern: unknown): boolean {
  try {
    return typeof pattern === "string" && new RegExp(pattern, "u") instanceof RegExp;
  } catch {
    return false;
  }
}

function draftOf({ $schema }: Checkable): SchemaDraft {
  const named = /draft-0?([467])|draft\/(2019-09)/.exec(String($schema ?? ""));
  const draft = named?.[1] ?? named?.[2] ?? "2020-12";
  return (draft === "6" ? "7" : draft) as SchemaDraft;
}
