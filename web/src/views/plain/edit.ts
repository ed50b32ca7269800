// An edit of a value in an agent's state: from what a person writes to an operation of a JSON Patch.

import { Exact, isContainer, parse, stringify, typed, unmarked } from "client/form/exact";
import { same } from "client/facts";
import { members, pointer } from "client/patch";
import type { PatchOperation } from "../../gateway/types";

export const kinds = ["Text", "Number", "Yes or no", "Nothing", "List or object"] as const;
export type Kind = (typeof kinds)[number];

export interface Edit {
  /** Unique: a repeated request is known by it. */
  id: string;
  what: "change" | "add" | "remove";
  /** The JSON pointer of the value; of the list or object that it is added to. */
  path: string;
  /** The name of an added member; empty for an element of a list. */
  name: string;
  /** Whether it is added to a list. */
  list: boolean;
  kind: Kind;
  text: string;
  /** The value that the person saw; undefined for an addition. */
  base: unknown;
}

/** Whether the state may be written at a pointer: at and below those in writable. */
export const mayWrite = (path: string, writable: readonly string[]): boolean =>
  writable.some((top) => top === "" || path === top || path.startsWith(`${top}/`));

/** The names that may be added to the whole state: undefined for any, else those that are allowed and not there. */
export function namesFor(state: unknown, writable: readonly string[]): string[] | undefined {
  if (writable.includes("")) return undefined;
  const there = isContainer(state) ? state : {};
  return writable.flatMap((top) => members(top).slice(0, 1)).filter((name) => !Object.hasOwn(there, name));
}

export function kindOf(value: unknown): Kind {
  if (value === null) return "Nothing";
  if (typeof value === "boolean") return "Yes or no";
  if (typeof value === "number" || value instanceof Exact) return "Number";
  return typeof value === "string" ? "Text" : "List or object";
}

/** A value as it is edited. */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return value ? "yes" : "no";
  return value === undefined || value === null ? "" : stringify(value, 2);
}

/** The input as a value, or its problem. */
export function valueOf({ kind, text }: Pick<Edit, "kind" | "text">): { value: unknown } | { problem: string } {
  if (kind === "Text") return { value: text };
  if (kind === "Nothing") return { value: null };
  if (kind === "Yes or no") return { value: text === "yes" };
  if (kind === "Number") {
    const value = unmarked(typed(text));
    return Number.isFinite(Number(text)) && (value instanceof Exact || typeof value === "number") ? { value } : { problem: "Please enter a number." };
  }
  try {
    const value: unknown = parse(text);
    if (isContainer(value)) return { value };
  } catch {
    // The expected form is shown below.
  }
  return { problem: 'Please write a list or an object as JSON, such as ["one", "two"] or {"name": "value"}.' };
}

/** The problem of an edit, if any. */
export function problemOf(edit: Edit): string | undefined {
  if (edit.what === "remove") return undefined;
  if (edit.what === "add" && !edit.list && edit.name === "") return "Please enter a name.";
  const made = valueOf(edit);
  return "problem" in made ? made.problem : undefined;
}

/** The value at a pointer, if there is one. */
export function at(state: unknown, path: string): { value: unknown } | undefined {
  let value = state;
  for (const member of members(path)) {
    if (!isContainer(value) || !Object.hasOwn(value, member)) return undefined;
    value = value[member];
  }
  return { value };
}

const targetOf = ({ what, path, list, name }: Edit): string => (what !== "add" ? path : pointer(path, list ? "-" : name));

/** The present value, if it differs from the one the person saw: undefined without a change. */
export function conflictOf(edit: Edit, state: unknown): { now: unknown } | undefined {
  const target = targetOf(edit);
  const now = at(state, target);
  if (edit.what === "add") {
    const there = at(state, edit.path)?.value;
    if (edit.list) return Array.isArray(there) ? undefined : { now: there };
    return now && { now: now.value };
  }
  if (edit.what === "remove" && !now) return undefined;
  return now && same(now.value, edit.base) ? undefined : { now: now?.value };
}

/** Whether the state is already as the edit would make it. */
export function isDone(edit: Edit, state: unknown): boolean {
  if (edit.what === "add" && edit.list) return false;
  const now = at(state, targetOf(edit));
  if (edit.what === "remove") return !now;
  const made = valueOf(edit);
  return now !== undefined && "value" in made && same(now.value, made.value);
}

/** The operation that makes the edit, in the state as it is. */
export function operationOf(edit: Edit, state: unknown): PatchOperation {
  const path = targetOf(edit);
  if (edit.what === "remove") return { op: "remove", path };
  const made = valueOf(edit);
  if (!("value" in made)) throw new Error(made.problem);
  return { op: edit.what === "change" && at(state, path) ? "replace" : "add", path, value: made.value };
}
