// The versions of a thread's state. They share the parts that did not change, so that many versions of a large state are cheap.

import { isContainer } from "client/form/exact";
import { applyPatch, difference } from "client/patch";
import type { PatchOperation, SeenEvent } from "../gateway/types";

export interface Version {
  /** The number of the event that made it. */
  n: number;
  kind: "snapshot" | "delta";
  changes: readonly Change[];
  state: unknown;
  /** It restates what there was: no change, or one that this page has not seen happen. */
  replay: boolean;
  /** The delta did not fit: the state is the one before. */
  refused: boolean;
}

export interface Change {
  op: PatchOperation["op"];
  path: string;
  from?: string;
  /** Absent where nothing was there before; and likewise after. */
  before?: unknown;
  after?: unknown;
}

/**
 * The versions that events make, oldest first. base: the state before them; without one, events before the first
 * snapshot is passed over.
 */
export function versionsOf(events: readonly SeenEvent[], base?: { state: unknown }): Version[] {
  const versions: Version[] = [];
  if (base) versions.push({ n: -1, kind: "snapshot", state: base.state, changes: [], replay: true, refused: false });
  for (const { n, event, replay } of events) {
    const last = versions.at(-1);
    if (event.type === "STATE_SNAPSHOT") {
      const operations = last ? difference(last.state, event.snapshot) : [];
      if (last && operations.length === 0) continue; // a snapshot without a change, as at the start of each run
      versions.push({ n, kind: "snapshot", state: event.snapshot, changes: changesOf(last?.state, operations), replay, refused: false });
    } else if (event.type === "STATE_DELTA" && last) {
      try {
        const state = applyPatch(last.state, event.delta);
        versions.push({ n, kind: "delta", state, changes: changesOf(last.state, event.delta), replay, refused: false });
      } catch {
        versions.push({ n, kind: "delta", state: last.state, changes: changesOf(undefined, event.delta), replay, refused: true });
      }
    }
  }
  return versions;
}

/** The version an event made, or the one that was there when it came. */
export function versionAt(versions: readonly Version[], n: number): number {
  return Math.max(0, versions.findLastIndex((v) => v.n <= n));
}

/** Whether a path is, lies above, or lies below a changed one, and how it was changed. */
export function marks(changes: readonly Change[]): Map<string, "changed" | "added" | "inside"> {
  const marked = new Map<string, "changed" | "added" | "inside">();
  for (const { op, path, before } of changes) {
    if (op === "test") continue;
    // "-" names no member: the list itself changed.
    const at = path.endsWith("/-") ? path.slice(0, -2) : path;
    if (op !== "remove") marked.set(at, at === path && before === undefined ? "added" : "changed");
    for (let up = at.lastIndexOf("/"); up > 0; up = at.lastIndexOf("/", up - 1)) {
      const above = at.slice(0, up);
      if (!marked.has(above)) marked.set(above, "inside");
    }
  }
  return marked;
}

function changesOf(state: unknown, operations: readonly PatchOperation[]): Change[] {
  return operations.map(({ op, path, from, value }) => {
    const change: Change = { op, path };
    if (from !== undefined) change.from = from;
    const before = at(state, path);
    if (before !== undefined) change.before = before;
    const after = op === "move" || op === "copy" ? at(state, from ?? "") : value;
    if (after !== undefined) change.after = after;
    return change;
  });
}

/** What a JSON Pointer names, or undefined. */
export function at(document: unknown, path: string): unknown {
  let value = document;
  for (const member of path.split("/").slice(1)) {
    if (!isContainer(value)) return undefined;
    const key = member.replaceAll("~1", "/").replaceAll("~0", "~");
    value = Object.hasOwn(value, key) ? value[key] : undefined;
  }
  return value;
}
