// What the form knows of JSON Schema itself.

import { isContainer } from "./exact.ts";

export type Schema = Record<string, unknown>;

export const isSchema = (value: unknown): value is Schema => isContainer(value) && !Array.isArray(value);

export const TYPES = ["string", "number", "integer", "boolean", "object", "array", "null"];

/** What an answer without a schema has to be: a text. A schema that allows everything asks for one too. */
export const ANY_TEXT: Schema = { type: "string" };

/** The schema that an answer is asked for by. */
export function asked(schema: unknown): Schema {
  if (!isSchema(schema)) return ANY_TEXT;
  return Object.keys(schema).every((key) => NOTES.has(key)) ? { ...schema, ...ANY_TEXT } : schema;
}

// Keywords that say something about a value and demand nothing of it.
const NOTES = new Set(["$schema", "$id", "$comment", "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly"]);

/** Whether a schema says nothing about the value itself. */
export const isOpen = (schema: Schema): boolean => Object.keys(schema).every((key) => NOTES.has(key));

/**
 * The schema of the answer to a question of AG-UI, an interrupt. A confirmation that allows any answer may
 * leave the answer empty: there is nothing to add.
 */
export function schemaOf({ reason, responseSchema }: { reason?: string; responseSchema?: unknown }): unknown {
  return responseSchema === undefined && reason === "confirmation" ? EMPTY_TEXT : responseSchema;
}

const EMPTY_TEXT: Schema = { type: "string", default: "" };
