// A JSON document as the lines of a tree.

import { pointer } from "../gateway/patch";

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

const MOST_CHILDREN = 200;

/** The nodes to be seen, top down. isOpen decides about branches that hold something. */
export function nodesOf(document: unknown, isOpen: (path: string, level: number, size: number) => boolean): Node[] {
  const nodes: Node[] = [];
  const walk = (value: unknown, path: string, name: string, level: number, position: number, siblings: number) => {
    const entries = entriesOf(value);
    const kind = kindOf(value);
    const branch = entries !== undefined && entries.length > 0;
    const open = branch && isOpen(path, level, entries.length);
    const text = entries ? sizeOf(kind, entries.length) : (JSON.stringify(value) ?? "");
    nodes.push({ path, name, level, position, siblings, kind, text, branch, open });
    if (!open || !entries) return;
    const size = Math.min(entries.length, MOST_CHILDREN + 1);
    for (const [i, [key, inner]] of entries.slice(0, MOST_CHILDREN).entries()) {
      walk(inner, pointer(path, key), key, level + 1, i + 1, size);
    }
    if (entries.length > MOST_CHILDREN) {
      const text = `${entries.length - MOST_CHILDREN} more`;
      nodes.push({ path: `${path}/…`, name: "…", level: level + 1, position: size, siblings: size, kind: "null", text, branch: false, open: false });
    }
  };
  const top = entriesOf(document);
  if (!top) walk(document, "", "(state)", 1, 1, 1);
  else for (const [i, [key, inner]] of top.entries()) walk(inner, pointer("", key), key, 1, i + 1, top.length);
  return nodes;
}

function entriesOf(value: unknown): [string, unknown][] | undefined {
  return typeof value === "object" && value !== null ? Object.entries(value) : undefined;
}

function kindOf(value: unknown): Node["kind"] {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return "array";
  const type = typeof value;
  return type === "object" || type === "string" || type === "number" || type === "boolean" ? type : "null";
}

function sizeOf(kind: Node["kind"], size: number): string {
  if (size === 0) return kind === "array" ? "[]" : "{}";
  return kind === "array" ? `[${size}]` : `{${size}}`;
}
