// From a question's responseSchema to the fields a person fills in, and from what they filled in to the payload.

import { choicesOf, firstOf, isSchema, requiredOf, typeOf } from "../gateway/schema";

/** list and object are written as JSON. */
export type FieldKind = "text" | "number" | "integer" | "boolean" | "choice" | "list" | "object";

export interface Field {
  /** The member of the payload; absent if the payload is the value itself. */
  key?: string;
  label: string;
  kind: FieldKind;
  required: boolean;
  choices: unknown[];
  description?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
}

/** The fields of a schema: one for each member of an object, else one for the value itself. */
export function fieldsOf(schema: unknown): Field[] {
  if (!isSchema(schema)) return [{ label: "Your answer", kind: "text", required: true, choices: [] }];
  const whole = firstOf(schema);
  const properties = whole["properties"];
  if (!isSchema(properties) || Object.keys(properties).length === 0) return [field(whole, "Your answer", true)];
  const required = requiredOf(whole);
  const keys = Object.keys(properties);
  return keys.map((key) => ({
    key,
    ...field(properties[key], keys.length === 1 && key === "value" ? "Your answer" : words(key), required.includes(key)),
  }));
}

const KINDS: Record<string, FieldKind> = { number: "number", integer: "integer", boolean: "boolean", array: "list", object: "object" };

function field(schema: unknown, label: string, required: boolean): Field {
  const s = isSchema(schema) ? firstOf(schema) : {};
  const type = typeOf(s);
  const choices = choicesOf(s);
  const kind = choices.length > 0 ? "choice" : ((typeof type === "string" && KINDS[type]) || "text");
  const made: Field = { label: typeof s["title"] === "string" ? s["title"] : label, kind, required, choices };
  if (typeof s["description"] === "string") made.description = s["description"];
  for (const limit of ["minimum", "maximum", "minLength", "maxLength"] as const) {
    if (typeof s[limit] === "number") made[limit] = s[limit];
  }
  return made;
}

/** "price_per_night" and "pricePerNight" as people write it. */
export function words(key: string): string {
  const spaced = key.replace(/[_-]+/g, " ").replace(/([a-z0-9])([A-Z])/g, "$1 $2").trim().toLowerCase();
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

/** What is wrong with a value, for people; nothing if it will do. */
export function problem(field: Field, value: unknown): string | undefined {
  if (value === undefined || value === "") return field.required ? "Please answer this." : undefined;
  if (field.kind === "number" || field.kind === "integer") {
    const n = Number(value);
    if (!Number.isFinite(n)) return "Please enter a number.";
    if (field.kind === "integer" && !Number.isInteger(n)) return "Please enter a whole number.";
    if (field.minimum !== undefined && n < field.minimum) return `At least ${field.minimum}, please.`;
    if (field.maximum !== undefined && n > field.maximum) return `At most ${field.maximum}, please.`;
  }
  if (field.kind === "text" && typeof value === "string") {
    if (field.minLength !== undefined && value.length < field.minLength) return `At least ${field.minLength} characters, please.`;
    if (field.maxLength !== undefined && value.length > field.maxLength) return `At most ${field.maxLength} characters, please.`;
  }
  if (field.kind === "list" && !Array.isArray(parsed(value))) return 'Please write a list as JSON, such as ["one", "two"].';
  if (field.kind === "object" && !isSchema(parsed(value))) return 'Please write an object as JSON, such as {"name": "value"}.';
  return undefined;
}

function parsed(text: unknown): unknown {
  try {
    return typeof text === "string" ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

/** The payload of what was filled in, by field index. Fields left empty are left out. */
export function payloadOf(fields: Field[], values: Record<number, unknown>): unknown {
  const payload: Record<string, unknown> = {};
  for (const [i, f] of fields.entries()) {
    const value = values[i] === "" ? undefined : valueOf(f, values[i]);
    if (f.key === undefined) return value;
    if (value !== undefined) payload[f.key] = value;
  }
  return payload;
}

function valueOf({ kind }: Field, raw: unknown): unknown {
  if (raw === undefined) return undefined;
  if (kind === "number" || kind === "integer") return Number(raw);
  return kind === "list" || kind === "object" ? parsed(raw) : raw;
}
