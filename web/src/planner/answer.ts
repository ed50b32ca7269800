// From a question's responseSchema to the fields a person fills in, and from what they filled in to the payload.

export type FieldKind = "text" | "number" | "integer" | "boolean" | "choice";

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

type Schema = Record<string, unknown>;

const isSchema = (value: unknown): value is Schema => typeof value === "object" && value !== null && !Array.isArray(value);

/** The fields of a schema. What cannot be filled in as a field (arrays, objects) is asked for as text. */
export function fieldsOf(schema: unknown): Field[] {
  if (!isSchema(schema)) return [{ label: "Your answer", kind: "text", required: true, choices: [] }];
  const properties = schema["properties"];
  if (!isSchema(properties) || Object.keys(properties).length === 0) return [field(schema, "Your answer", true)];
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  const keys = Object.keys(properties);
  return keys.map((key) => ({
    key,
    ...field(properties[key], keys.length === 1 && key === "value" ? "Your answer" : words(key), required.includes(key)),
  }));
}

function field(schema: unknown, label: string, required: boolean): Field {
  const s = isSchema(schema) ? schema : {};
  const type = Array.isArray(s["type"]) ? s["type"].find((t) => t !== "null") : s["type"];
  const choices = Array.isArray(s["enum"]) ? s["enum"] : "const" in s ? [s["const"]] : [];
  const kind: FieldKind =
    choices.length > 0 ? "choice" : type === "number" || type === "integer" || type === "boolean" ? type : "text";
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
  return undefined;
}

/** The payload of what was filled in, by field index. Fields left empty are left out. */
export function payloadOf(fields: Field[], values: Record<number, unknown>): unknown {
  const payload: Record<string, unknown> = {};
  for (const [i, f] of fields.entries()) {
    const raw = values[i];
    const value = (f.kind === "number" || f.kind === "integer") && raw !== undefined && raw !== "" ? Number(raw) : raw;
    if (f.key === undefined) return value;
    if (value !== undefined && value !== "") payload[f.key] = value;
  }
  return payload;
}

/** The payload that picks an option: the option, wrapped if the schema wants an object and the option is none. */
export function pick(option: unknown, schema: unknown): unknown {
  if (isSchema(option) || !isSchema(schema) || schema["type"] !== "object") return option;
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  const keys = isSchema(schema["properties"]) ? Object.keys(schema["properties"]) : [];
  const [key] = required.length > 0 ? required : keys;
  return typeof key === "string" ? { [key]: option } : option;
}
