// What somebody has changed in a value.

import { difference, members } from "./patch.ts";

/** The JSON Pointers of new and changed parts of a value. */
export function changedPaths(before: unknown, after: unknown): ReadonlySet<string> {
  return new Set(difference(before, after).flatMap(({ op, path }) => (op === "remove" ? [] : [path])));
}

/** The arguments that were changed: each by its name, with its value before and after; undefined where there is none. */
export interface Change {
  name: string;
  before: unknown;
  after: unknown;
}

export function changesOf(before: Record<string, unknown>, after: Record<string, unknown>): Change[] {
  const names = new Set(difference(before, after).map(({ path }) => members(path)[0] ?? ""));
  return [...names].map((name) => ({ name, before: before[name], after: after[name] }));
}
