// JSON Patch (RFC 6902) on documents that are never changed: what an operation touches is copied, the rest is shared,
// so that a history of a large document costs what its changes cost.

import jsonpatch, { type Operation } from "fast-json-patch";
import { isContainer, marked, unmarked } from "./form/exact.ts";
import type { PatchOperation } from "./types.ts";

/** The document after the operations, all of them or, with an error thrown, none. */
export function applyPatch(document: unknown, operations: readonly PatchOperation[]): unknown {
  let result = document;
  for (const [i, given] of operations.entries()) {
    // A copy shares what it copies. The library would write it as JSON, and round its numbers.
    const operation = given.op === "copy" ? { op: "add", path: given.path, value: jsonpatch.getValueByPointer(result, given.from ?? "") as unknown } : given;
    result = unshare(result, operation.path);
    if (given.op === "move" && given.from !== undefined) result = unshare(result, given.from);
    result = jsonpatch.applyOperation(result, operation as Operation, true, true, true, i).newDocument;
  }
  return result;
}

/** The operations that lead from one document to another, as applyPatch understands them. */
export function difference(from: unknown, to: unknown): PatchOperation[] {
  if (!isContainer(from) || !isContainer(to) || Array.isArray(from) !== Array.isArray(to)) {
    return same(from, to) ? [] : [{ op: "replace", path: "", value: to }];
  }
  return unmarked(jsonpatch.compare(marked(from) as object, marked(to) as object)) as PatchOperation[];
}

const same = (a: unknown, b: unknown): boolean => Object.is(marked(a), marked(b));

/** The members a JSON Pointer names, unescaped: "/a~1b/0" → ["a/b", "0"]. */
export function members(pointer: string): string[] {
  return pointer.split("/").slice(1).map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** The JSON Pointer of a member of what a pointer names. */
export function pointer(parent: string, member: string | number): string {
  return `${parent}/${String(member).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

// Copies the containers on the way to what a pointer names, so that it can be changed in place.
function unshare(document: unknown, path: string): unknown {
  const copy = shallow(document);
  let at = copy;
  for (const member of members(path).slice(0, -1)) {
    if (!isContainer(at) || !Object.hasOwn(at, member)) break; // the operation will be refused
    at[member] = shallow(at[member]);
    at = at[member];
  }
  return copy;
}

function shallow(value: unknown): unknown {
  if (Array.isArray(value)) return [...(value as unknown[])];
  return isContainer(value) ? { ...value } : value;
}
