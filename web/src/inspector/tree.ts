// A JSON document as the lines of a tree.

import { Exact, isContainer, stringify } from "client/form/exact";
import { pointer } from "client/patch";

export interface Node {
  path: string;
  name: string;
  level: number;
  /** Among its parent's children, from 1 on. */
  position: number;
  siblings: number;
  kind: "object" | "array" | "string" | "number" | "boolean" | "null";
  /** A leaf's value as JSON, or how much a branch holds. */
  text: string;
  branch: boolean;
  open: boolean;
}

const MOST_CHILDREN = 100;
const MOST_NODES = 500;

interface Choice {
  /** Asked about branches that hold something. */
  isOpen: (path: string, level: number, size: number) => boolean;
  /** What may not be left out where there is too much. */
  wanted?: (path: string) => boolean;
}

/** The nodes to be seen, top down: as many as can be looked through. */
export function nodesOf(document: unknown, { isOpen, wanted = () => false }: Choice): Node[] {
  const nodes: Node[] = [];
  const walk = (value: unknown, path: string, name: string, level: number, position: number, siblings: number) => {
    const entries = entriesOf(value);
    const kind = kindOf(value);
    const branch = entries !== undefined && entries.length > 0;
    const open = branch && isOpen(path, level, entries.length);
    const text = entries ? sizeOf(kind, entries.length) : stringify(value);
    nodes.push({ path, name, level, position, siblings, kind, text, branch, open });
    if (open && entries) children(entries, path, level + 1);
  };
  const children = (entries: [string, unknown][], path: string, level: number) => {
    const room = Math.max(1, Math.min(MOST_CHILDREN, MOST_NODES - nodes.length));
    const shown = entries.length <= room ? entries : entries.filter(([key], i) => i < room || wanted(pointer(path, key)));
    const left = entries.length - shown.length;
    const siblings = shown.length + (left > 0 ? 1 : 0);
    for (const [i, [key, inner]] of shown.entries()) walk(inner, pointer(path, key), key, level, i + 1, siblings);
    if (left === 0) return;
    const text = `${left} more`;
    nodes.push({ path: `${path}/…`, name: "…", level, position: siblings, siblings, kind: "null", text, branch: false, open: false });
  };
  const top = entriesOf(document);
  if (top) children(top, "", 1);
  else walk(document, "", "(state)", 1, 1, 1);
  return nodes;
}

function entriesOf(value: unknown): [string, unknown][] | undefined {
  return isContainer(value) ? Object.entries(value) : undefined;
}

function kindOf(value: unknown): Node["kind"] {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return "array";
  if (value instanceof Exact) return "number";
  const type = typeof value;
  return type === "object" || type === "string" || type === "number" || type === "boolean" ? type : "null";
}

function sizeOf(kind: Node["kind"], size: number): string {
  if (size === 0) return kind === "array" ? "[]" : "{}";
  return kind === "array" ? `[${size}]` : `{${size}}`;
}
