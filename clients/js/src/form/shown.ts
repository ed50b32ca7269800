// From a question's schema to the one that the form is made of: without references, without null beside something else, with a
// type everywhere. The answer is held against the original.

import { stringify } from "./exact.ts";
import { asked, isOpen, isSchema, type Schema, TYPES } from "./schema.ts";
import { visible } from "./visible.ts";
import { words } from "./words.ts";

/** What a form can be made of, or why there is none. */
export type Shown = { schema: Schema } | { reason: string };

const MAX_PARTS = 300;
const MAX_DEPTH = 8;
const MAX_ITEMS = 50; // that a form begins with, because there have to be so many

/** A part of the schema that any JSON fits into, or none that has fields: it is written as JSON, with this beside its title. */
export const ANYTHING = "x-anything";

/** A member that names the alternative: it is filled in automatically. */
export const TAG = "x-tag";

/** One of several kinds of value. */
export const ALTERNATIVE = "x-alternative";

class Unshowable extends Error {}

const known = new WeakMap<Schema, Shown>();

export function shownOf(schema: unknown): Shown {
  const whole = asked(schema);
  let shown = known.get(whole);
  if (!shown) known.set(whole, (shown = make(whole)));
  return shown;
}

function make(whole: Schema): Shown {
  try {
    const schema = new Maker(whole).part(whole, [], 0);
    return schema[ANYTHING] ? { reason: "It does not say which fields there are." } : { schema };
  } catch (error) {
    if (error instanceof Unshowable) return { reason: error.message };
    throw error;
  }
}

const NOTED = ["title", "description", "default", "readOnly", "deprecated", "examples"];
const NAMES: Record<string, string> = { string: "Text", number: "Number", integer: "Whole number", boolean: "Yes or no", object: "Object", array: "List" };

class Maker {
  private parts = 0;
  private readonly whole: Schema;

  constructor(whole: Schema) {
    this.whole = whole;
  }

  /** The part of the form for a part of the schema; within are the references that lead to it. */
  part(given: unknown, within: readonly string[], depth: number): Schema {
    if (++this.parts > MAX_PARTS) throw new Unshowable("It has too many parts for a form.");
    if (depth > MAX_DEPTH) throw new Unshowable("It is too deep for a form.");
    const [schema, refs] = this.resolved(given, within);
    const notes = Object.fromEntries(NOTED.filter((key) => key in schema).map((key) => [key, schema[key]]));
    if (isOpen(schema)) return { ...notes, [ANYTHING]: true };
    const next = (part: unknown) => this.part(part, refs, depth + 1);

    if (Array.isArray(schema["enum"])) return choice(notes, schema["enum"]);
    if ("const" in schema) return choice(notes, [schema["const"]]);
    for (const key of ["anyOf", "oneOf"] as const) {
      const alternatives = schema[key];
      if (Array.isArray(alternatives)) return this.oneOf(schema, key, alternatives, refs, depth);
    }
    const types = typesOf(schema);
    if (types.length > 1) return { ...notes, anyOf: types.map((type) => ({ title: NAMES[type], ...next(unnoted({ ...schema, type })), [ALTERNATIVE]: true })) };
    const [type] = types;
    if (type === "null") return { ...notes, type };
    if (type === "object") return this.object(schema, notes, next);
    if (type === "array") return this.list(schema, notes, next);
    if (type === undefined) return Array.isArray(schema["allOf"]) ? { ...schema, allOf: schema["allOf"].map(next) } : { ...notes, [ANYTHING]: true };
    const made: Schema = { ...schema, type };
    if (schema["contentEncoding"] === "base64") made["format"] = "data-url";
    return made;
  }

  private oneOf(schema: Schema, key: "anyOf" | "oneOf", alternatives: unknown[], refs: readonly string[], depth: number): Schema {
    const { [key]: _, ...rest } = schema;
    const others = alternatives.filter((one) => !isSchema(one) || (one["type"] !== "null" && one["const"] !== null));
    if (others.length === 1) {
      const [one, inside] = this.resolved(others[0], refs);
      return this.part({ ...one, ...rest }, inside, depth);
    }
    if (others.length === 0) return { ...rest, type: "null" };
    if (others.every((one) => isSchema(one) && "const" in one)) {
      // Values that have titles each.
      const named = others.map((one) => ({ const: (one as Schema)["const"], title: visible(String((one as Schema)["title"] ?? label((one as Schema)["const"]))) }));
      return { ...rest, type: "string", oneOf: named };
    }
    const parts = others.map((one): Schema => {
      const part = tagged(this.part(one, refs, depth + 1), this.resolved(one, refs)[0]);
      return { ...part, title: part["title"] ?? nameOf(part), [ALTERNATIVE]: true };
    });
    if (others.length < alternatives.length) parts.unshift(NONE);
    return { ...(rest["properties"] ? this.part(rest, refs, depth) : rest), [key]: parts };
  }

  private object(schema: Schema, notes: Schema, next: (part: unknown) => Schema): Schema {
    const { properties, additionalProperties } = schema;
    const made: Schema = { ...schema, type: "object" };
    if (isSchema(properties)) {
      const shown = Object.entries(properties).filter(([, part]) => part !== false);
      const needed = requiredOf(schema);
      made["properties"] = Object.fromEntries(
        shown.map(([key, part]) => {
          const member = titled(next(part), words(key));
          return [key, needed.includes(key) ? member : optional(undemanding(member))];
        }),
      );
    }
    const typed = isSchema(additionalProperties) && !isOpen(additionalProperties);
    if (typed) made["additionalProperties"] = next(additionalProperties);
    else delete made["additionalProperties"];
    delete made["patternProperties"];
    delete made["propertyNames"];
    delete made["unevaluatedProperties"];
    const empty = !isSchema(properties) || Object.keys(properties).length === 0;
    if (empty && !typed) return { ...notes, [ANYTHING]: "object" };
    for (const key of ["allOf"] as const) if (Array.isArray(schema[key])) made[key] = schema[key].map(next);
    for (const key of ["if", "then", "else", "not"]) if (isSchema(schema[key])) made[key] = this.resolved(schema[key], [])[0];
    return made;
  }

  private list(schema: Schema, notes: Schema, next: (part: unknown) => Schema): Schema {
    const { prefixItems, items, additionalItems, minItems, ...others } = schema;
    const least = typeof minItems === "number" ? minItems : 0;
    if (least > MAX_ITEMS) throw new Unshowable("It wants too many items for a form.");
    const rest = { ...others, ...(least > 0 && { minItems: least }) };
    const fixed = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : undefined;
    if (fixed) {
      const more = Array.isArray(prefixItems) ? items : additionalItems;
      return { ...rest, type: "array", items: fixed.map(next), ...(isSchema(more) && { additionalItems: next(more) }) };
    }
    if (!isSchema(items)) return { ...notes, [ANYTHING]: "array" };
    return { ...rest, type: "array", items: next(items) };
  }

  /** The schema of a reference, with the keywords beside it; and the references that were followed. */
  private resolved(given: unknown, within: readonly string[]): [Schema, readonly string[]] {
    if (given === true) return [{}, within];
    if (!isSchema(given)) throw new Unshowable("It is no JSON Schema.");
    const { $ref, $dynamicRef, $recursiveRef, ...rest } = given;
    if ($dynamicRef !== undefined || $recursiveRef !== undefined) throw new Unshowable("It refers to itself.");
    if ($ref === undefined) return [given, within];
    if (typeof $ref !== "string" || !/^#(\/|$)/.test($ref)) throw new Unshowable("It refers to another document.");
    if (within.includes($ref) || $ref === "#") throw new Unshowable("It refers to itself.");
    const target = $ref
      .slice(2)
      .split("/")
      .map((s) => decodeURIComponent(s).replaceAll("~1", "/").replaceAll("~0", "~"))
      .reduce<unknown>((part, key) => (typeof part === "object" && part !== null && Object.hasOwn(part, key) ? (part as Schema)[key] : undefined), this.whole);
    if (target === undefined) throw new Unshowable("It refers to something that is not there.");
    const [there, refs] = this.resolved(target, [...within, $ref]);
    return [{ ...there, ...rest }, refs];
  }
}

const unnoted = ({ title: _, description: __, default: ___, ...rest }: Schema): Schema => rest;

const requiredOf = ({ required }: Schema): unknown[] => (Array.isArray(required) ? required : []);

const NONE: Schema = { title: "None", type: "null", [ALTERNATIVE]: true };

/** A part that may be left out: if it has alternatives that are groups, none of them is another one. */
function optional(part: Schema): Schema {
  for (const key of ["anyOf", "oneOf"]) {
    const parts = part[key];
    if (Array.isArray(parts) && parts[0] !== NONE && parts.some((one) => isSchema(one) && one["type"] === "object")) return { ...part, [key]: [NONE, ...parts] };
  }
  return part;
}

/** An optional group without the defaults that would make it an answer in which something is missing. */
function undemanding(group: Schema): Schema {
  const { properties } = group;
  if (group["type"] !== "object" || !isSchema(properties)) return group;
  const members = Object.entries(properties) as [string, Schema][];
  const demands = members.some(([key, member]) => requiredOf(group).includes(key) && !("default" in member));
  if (!demands) return group;
  return { ...group, properties: Object.fromEntries(members.map(([key, { default: _, ...member }]) => [key, undemanding(member)])) };
}

function typesOf({ type, properties, items, prefixItems }: Schema): string[] {
  const named: unknown[] = Array.isArray(type) ? type : type === undefined ? [] : [type];
  if (named.some((one) => typeof one !== "string" || !TYPES.includes(one))) throw new Unshowable(`It has a type that is unknown here: ${JSON.stringify(type)}.`);
  const others = named.filter((one) => one !== "null") as string[];
  if (others.length > 0) return others;
  if (named.length > 0) return ["null"];
  if (properties !== undefined) return ["object"];
  return items !== undefined || prefixItems !== undefined ? ["array"] : [];
}

function choice(notes: Schema, values: unknown[]): Schema {
  const isYesOrNo = values.length === 2 && values.includes(true) && values.includes(false);
  if (isYesOrNo) return { ...notes, type: "boolean" };
  return { ...notes, type: "string", oneOf: values.map((value) => ({ const: value, title: label(value) })) };
}

/** A value of a choice as people read it. */
const label = (value: unknown): string => (typeof value === "string" ? visible(value) : value === null ? "None" : value === true ? "Yes" : value === false ? "No" : stringify(value));

const titled = (part: Schema, title: string): Schema => (part["title"] === undefined ? { ...part, title } : part);

/** An alternative with a tag, a text that it alone has: choosing it fills the tag in. */
function tagged(part: Schema, { properties }: Schema): Schema {
  if (!isSchema(properties) || !isSchema(part["properties"])) return part;
  const tags = Object.entries(properties).flatMap(([key, member]) => {
    const tag = isSchema(member) ? (member["const"] ?? (Array.isArray(member["enum"]) && member["enum"].length === 1 ? member["enum"][0] : undefined)) : undefined;
    return typeof tag === "string" ? [[key, { type: "string", const: tag, default: tag, [TAG]: true }] as const] : [];
  });
  if (tags.length === 0) return part;
  return { title: words(tags[0]![1].const), ...part, properties: { ...part["properties"], ...Object.fromEntries(tags) } };
}

const nameOf = ({ type }: Schema): string => NAMES[String(type)] ?? "Anything else";
