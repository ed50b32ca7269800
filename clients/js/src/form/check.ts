// From the form's value to the answer, and to its problems in words.

import type { OutputUnit } from "@cfworker/json-schema";
import { unmarked } from "./exact.ts";
import { JsonText, read } from "./json.ts";
import { asked, isSchema, type Schema } from "./schema.ts";
import { unfit } from "./validator.ts";

/** A problem, and its place: a JSON pointer into the answer. */
export interface Problem {
  path: string;
  text: string;
}

export interface Checked {
  /** The answer to send; only valid without problems. */
  payload: unknown;
  problems: Problem[];
}

export const MISSING = "Please answer this.";

/** The answer that a form's value makes. */
export function checked(schema: unknown, value: unknown): Checked {
  const whole = asked(schema);
  if (value instanceof JsonText) {
    if (value.text.trim() === "") return { payload: undefined, problems: [{ path: "", text: MISSING }] };
    const said = read(value.text);
    if ("problem" in said) return { payload: undefined, problems: [{ path: "", text: said.problem }] };
    return { payload: said.value, problems: problemsIn(unfit(whole, said.value), said.value) };
  }
  const empty = whole["type"] === "object" || isSchema(whole["properties"]) ? {} : whole["default"] === "" ? "" : undefined;
  let payload: unknown = withoutEmpty(unmarked(value)) ?? empty;
  if (payload === undefined) return { payload, problems: [{ path: "", text: MISSING }] };
  // A null that is not allowed is none of the alternatives: it is left out too. So is a list without items that may not be empty.
  const isNothing = (path: string, keyword: string) => at(payload, path) === null || (keyword === "minItems" && (at(payload, path) as unknown[]).length === 0);
  const empties = unfit(whole, payload).flatMap(({ instanceLocation, keyword }) => (isNothing(pointer(instanceLocation), keyword) ? [pointer(instanceLocation)] : []));
  payload = empties.filter((path) => path !== "").reduce<unknown>((given, path) => replaced(given, segments(path), undefined), payload);
  payload = withoutEmpty(payload) ?? empty;
  const filled = unfit(whole, payload).flatMap(missing).reduce<unknown>((given, path) => filledIn(whole, value, given, path), payload);
  return { payload: filled, problems: problemsIn(unfit(whole, filled), filled) };
}

/** The problems of a form's value. If it is empty the value fits. */
export const problemsOf = (schema: unknown, value: unknown): Problem[] => checked(schema, value).problems;

/** The value without members that are undefined, and without objects that have no others. An object that is {} stays. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutEmpty(item) ?? null); // an item keeps its place
  if (!isSchema(value)) return value;
  const members = Object.entries(value).map(([key, member]) => [key, withoutEmpty(member)] as const);
  const filled = members.filter(([, member]) => member !== undefined);
  return members.length > 0 && filled.length === 0 ? undefined : Object.fromEntries(filled);
}

const segments = (path: string): string[] => path.split("/").slice(1).map((s) => s.replaceAll("~1", "/").replaceAll("~0", "~"));

const at = (value: unknown, path: string): unknown =>
  segments(path).reduce<unknown>((whole, key) => (typeof whole === "object" && whole !== null ? (whole as Schema)[key] : undefined), value);

/** The answer with the required value of an empty path: the object with optional members only, or null where that is
 * allowed beside something else. Where anything goes, or null is one of the choices, nothing is put in.
 */
function filledIn(schema: Schema, value: unknown, payload: unknown, path: string): unknown {
  const put = (filler: unknown) => replaced(payload, segments(path), filler);
  const fits = (filler: unknown) => !unfit(schema, put(filler)).some((unit) => DECIDES.has(unit.keyword) && pointer(unit.instanceLocation) === path);
  if (isSchema(at(value, path)) && fits({})) return put({});
  if (!fits(null)) return payload;
  const other = unfit(schema, put([[path]])).filter((unit) => DECIDES.has(unit.keyword) && pointer(unit.instanceLocation) === path);
  const choice = other.some(({ keyword, keywordLocation }) => keyword === "enum" && !/\/(any|one)Of\//.test(keywordLocation));
  return other.length === 0 || choice ? payload : put(null);
}

// Keywords that say which values there are.
const DECIDES = new Set(["type", "enum", "const", "anyOf", "oneOf", "false", "not"]);

function replaced(value: unknown, [key, ...rest]: string[], filler: unknown): unknown {
  if (key === undefined) return filler;
  if (Array.isArray(value)) return value.map((item, i) => (String(i) === key ? replaced(item, rest, filler) : item));
  return isSchema(value) ? { ...value, [key]: replaced(value[key], rest, filler) } : value;
}

const pointer = (location: string): string => decodeURI(location.replace(/^#/, ""));

/** Where a member is missing. */
function missing({ keyword, instanceLocation, error }: OutputUnit): string[] {
  if (keyword !== "required" && keyword !== "dependentRequired") return [];
  const key = /(?:required property|does not have) "([^]*)"\.$/.exec(error)?.[1] ?? "";
  return [`${pointer(instanceLocation)}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`];
}

/** The problems of a value, one for each place: the first that is found. */
function problemsIn(units: OutputUnit[], value: unknown): Problem[] {
  const found = new Map<string, Problem>();
  for (const unit of likeliest(units)) {
    const path = missing(unit)[0] ?? pointer(unit.instanceLocation);
    const text = DECIDES.has(unit.keyword) && at(value, path) === null ? MISSING : textOf(unit);
    if (text !== undefined && !found.has(path)) found.set(path, { path, text });
  }
  return [...found.values()];
}

/** Among the problems of several alternatives only those of the closest one. */
function likeliest(units: OutputUnit[]): OutputUnit[] {
  let left = units;
  for (const unit of units) {
    if ((unit.keyword !== "anyOf" && unit.keyword !== "oneOf") || !left.includes(unit)) continue;
    const inside = left.filter((u) => u.keywordLocation.startsWith(`${unit.keywordLocation}/`) && u.instanceLocation.startsWith(unit.instanceLocation));
    const branches = new Map<string, OutputUnit[]>();
    for (const u of inside) {
      const branch = u.keywordLocation.slice(unit.keywordLocation.length + 1).split("/")[0]!;
      branches.set(branch, [...(branches.get(branch) ?? []), u]);
    }
    const distance = (branch: OutputUnit[]) =>
      branch.length + branch.filter((u) => u.instanceLocation === unit.instanceLocation && (u.keyword === "type" || u.keyword === "const")).length * 1000;
    const [nearest] = [...branches.values()].sort((a, b) => distance(a) - distance(b));
    if (nearest) left = left.filter((u) => u !== unit && (!inside.includes(u) || nearest.includes(u)));
  }
  return left;
}

const TYPES: Record<string, string> = {
  number: "a number",
  integer: "a whole number",
  string: "a text",
  boolean: "yes or no",
  array: "a list",
  object: "an object",
  null: "nothing",
};

const FORMATS: Record<string, string> = {
  date: "a date",
  time: "a time",
  "date-time": "a date and time",
  email: "an e-mail address",
  uri: "an address that begins with https:// or the like",
  url: "an address that begins with https:// or the like",
};

// The last number of what the validator says: the limit.
const limit = (error: string): string => /(-?[\d.e+]+)\D*$/.exec(error.replace(/\.$/, ""))?.[1] ?? "";

const TEXTS: Record<string, (error: string) => string> = {
  required: () => MISSING,
  dependentRequired: () => MISSING,
  type: (error) => {
    const wanted = [...(error.split("Expected")[1] ?? "").matchAll(/"(\w+)"/g)].map(([, type]) => TYPES[type!] ?? type!);
    return `Please enter ${wanted.join(" or ")}.`;
  },
  enum: () => "Please choose one of the values that are offered.",
  const: (error) => `This has to be ${error.replace(/^[^]*does not match /, "")}`,
  minimum: (error) => `At least ${limit(error)}, please.`,
  maximum: (error) => `At most ${limit(error)}, please.`,
  exclusiveMinimum: (error) => `More than ${limit(error)}, please.`,
  exclusiveMaximum: (error) => `Less than ${limit(error)}, please.`,
  multipleOf: (error) => `Please enter a multiple of ${limit(error)}.`,
  minLength: (error) => `At least ${limit(error)} characters, please.`,
  maxLength: (error) => `At most ${limit(error)} characters, please.`,
  pattern: () => "This does not have the form that is wanted.",
  format: (error) => `Please enter ${FORMATS[/"([^"]*)"/.exec(error)?.[1] ?? ""] ?? `a value of the format ${/"([^"]*)"/.exec(error)?.[1]}`}.`,
  minItems: (error) => `At least ${limit(error)} of these, please.`,
  maxItems: (error) => `At most ${limit(error)} of these, please.`,
  uniqueItems: () => "Each of these may be there once.",
  minProperties: (error) => `At least ${limit(error)} of these, please.`,
  maxProperties: (error) => `At most ${limit(error)} of these, please.`,
  false: () => "This may not be there.",
  not: () => "This value is not allowed.",
  oneOf: () => "This fits several alternatives, of which one is wanted.",
  contains: () => "Something that has to be in this list is missing.",
};

/** What to say of a unit; nothing for one that only says that something inside it is wrong. */
const textOf = ({ keyword, error }: OutputUnit): string | undefined => TEXTS[keyword]?.(error);
