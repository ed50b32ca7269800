// JSON Schemas of answers, as far as they say what an answer may look like.

import { isContainer } from "./form/exact.ts";

export type Schema = Record<string, unknown>;

export const isSchema = (value: unknown): value is Schema => isContainer(value) && !Array.isArray(value);

/** The schema with the first of its alternatives that is not null in their place. */
export function firstOf(schema: Schema): Schema {
  const { anyOf, oneOf, ...rest } = schema;
  const alternatives = [anyOf, oneOf].find(Array.isArray) ?? [];
  const first: unknown = alternatives.find((s) => isSchema(s) && s["type"] !== "null");
  return isSchema(first) ? { ...first, ...rest } : schema;
}

/** The first of a schema's types that is not null. */
export function typeOf({ type }: Schema): unknown {
  return Array.isArray(type) ? type.find((t) => t !== "null") : type;
}

/** The values that a schema names one by one. */
export const choicesOf = (schema: Schema): unknown[] => (Array.isArray(schema["enum"]) ? schema["enum"] : "const" in schema ? [schema["const"]] : []);

/** The members that an object must have. */
export const requiredOf = ({ required }: Schema): unknown[] => (Array.isArray(required) ? required : []);

/** The payload that picks an option: the option, wrapped if the schema wants an object and the option is none. */
export function pick(option: unknown, schema: unknown): unknown {
  if (isSchema(option) || !isSchema(schema) || schema["type"] !== "object") return option;
  const [key] = requiredOf(schema).length > 0 ? requiredOf(schema) : Object.keys(isSchema(schema["properties"]) ? schema["properties"] : {});
  return typeof key === "string" ? { [key]: option } : option;
}

const FORMATS: Record<string, string> = {
  date: "2030-01-31",
  "date-time": "2030-01-31T12:00:00Z",
  time: "12:00:00Z",
  email: "name@example.org",
  uri: "https://example.org/",
};

/** A placeholder that fits a schema; where there is a choice it decides nothing. */
export function exampleOf(schema: unknown): unknown {
  if (!isSchema(schema)) return "text";
  const one = firstOf(schema);
  if ("default" in one) return one["default"];
  const [choice] = choicesOf(one);
  if (choice !== undefined) return choice;
  const properties = isSchema(one["properties"]) ? one["properties"] : undefined;
  switch (typeOf(one) ?? (properties && "object")) {
    case "object":
      return Object.fromEntries(requiredOf(one).map((key) => [String(key), exampleOf(properties?.[String(key)])]));
    case "array":
      return Array.from({ length: limit(one["minItems"], 0) }, () => exampleOf(one["items"]));
    case "integer":
    case "number": {
      const n = Math.min(Math.max(0, limit(one["minimum"], 0)), limit(one["maximum"], Infinity));
      return typeOf(one) === "integer" ? Math.ceil(n) : n;
    }
    case "boolean":
      return false;
    case undefined:
    case "string":
      return FORMATS[String(one["format"])] ?? "text".padEnd(limit(one["minLength"], 0), ".").slice(0, limit(one["maxLength"], Infinity));
    default:
      return null;
  }
}

const limit = (value: unknown, absent: number): number => (typeof value === "number" ? value : absent);
