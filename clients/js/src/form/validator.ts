// Holds values against JSON Schemas. It interprets a schema, where the usual validators compile it with `new Function`, which a
// strict content security policy forbids.

import { dereference, type OutputUnit, type Schema as Checkable, type SchemaDraft, validate } from "@cfworker/json-schema";
import { rounded } from "./exact.ts";
import { isSchema, type Schema, TYPES } from "./schema.ts";

interface Prepared {
  schema: Checkable;
  draft: SchemaDraft;
  lookup: Record<string, Checkable | boolean>;
}

const prepared = new WeakMap<object, Prepared | undefined>();
const preparedWithoutPatterns = new WeakMap<object, Prepared | undefined>();

/** The parts of a value that do not fit a schema. The gateway checks the rest: references to elsewhere, patterns
 * of other languages or that may take long, a schema that is none.
 */
export function unfit(schema: Schema, value: unknown): OutputUnit[] {
  const patterns = !hasLongText(value);
  const known = patterns ? prepared : preparedWithoutPatterns;
  if (!known.has(schema)) known.set(schema, prepare(schema, patterns));
  const ready = known.get(schema);
  if (!ready) return [];
  try {
    return validate(rounded(value), ready.schema, ready.draft, ready.lookup, false).errors;
  } catch {
    return []; // it refers to itself without end
  }
}

function prepare(original: Schema, patterns: boolean): Prepared | undefined {
  try {
    const schema = structuredClone(rounded(original)) as Checkable;
    const lookup = dereference(schema);
    for (const part of Object.values(lookup)) if (isSchema(part)) leaveOut(part, lookup, patterns);
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
function leaveOut(part: Schema, lookup: Prepared["lookup"], patterns: boolean) {
  const target = part["__absolute_ref__"];
  if (typeof target === "string" && lookup[target] === undefined) delete part["$ref"];
  for (const [keyword, is] of Object.entries(MEANT)) if (part[keyword] !== undefined && !is(part[keyword])) delete part[keyword];
  if (part["pattern"] !== undefined && !(patterns && isCheap(part["pattern"]))) delete part["pattern"];
  const named = part["patternProperties"];
  if (!isSchema(named)) return;
  const unchecked = Object.keys(named).filter((pattern) => !patterns || !isCheap(pattern));
  for (const pattern of unchecked) delete named[pattern];
  // Which members are left over is not known without them.
  if (unchecked.length > 0) for (const keyword of ["additionalProperties", "unevaluatedProperties"]) delete part[keyword];
}

/** Up to this length of each text, a pattern that is cheap takes milliseconds. */
const MAX_MATCHED = 500;

function hasLongText(value: unknown): boolean {
  if (typeof value === "string") return value.length > MAX_MATCHED;
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([key, inner]) => key.length > MAX_MATCHED || hasLongText(inner));
}

/**
 * Whether a pattern is one of this language that cannot take long. The author of a schema may be anybody, and a browser cannot stop a
 * match: so no group is repeated, and there are at most three places where a match can be tried in another way.
 */
export function isCheap(pattern: unknown): boolean {
  if (typeof pattern !== "string") return false;
  try {
    new RegExp(pattern, "u");
  } catch {
    return false;
  }
  const bare = pattern.replaceAll(/\\[^\dk]|\[(?:\\.|[^\]\\])*\]/gsu, "x"); // no escapes and no classes of characters
  if (/\\|\)(?:[*+]|\{)/u.test(bare)) return false;
  const repeats = [...bare.matchAll(/[*+]|\{\d+,\d*\}|\?(?![:=!<])/gu)].length;
  const groups = bare.includes("|") ? [...bare.matchAll(/\(/gu)].length : 0;
  return repeats + groups + (bare.startsWith("^") ? 0 : 1) <= 3 && !/\{\d{4}/u.test(bare);
}

function draftOf({ $schema }: Checkable): SchemaDraft {
  const named = /draft-0?([467])|draft\/(2019-09)/.exec(String($schema ?? ""));
  const draft = named?.[1] ?? named?.[2] ?? "2020-12";
  return (draft === "6" ? "7" : draft) as SchemaDraft;
}
