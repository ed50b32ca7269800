import { expect, it } from "vitest";
import { nodesOf } from "./tree";

const lines = (value: unknown, open = true) => nodesOf(value, () => open).map((n) => `${" ".repeat(n.level - 1)}${n.name}=${n.text} ${n.path}`);

it("a document, open and closed", () => {
  const value = { a: 1, "b/c": { d: [null, "x"] }, e: [], f: {} };
  expect(lines(value)).toEqual(["a=1 /a", "b/c={1} /b~1c", " d=[2] /b~1c/d", "  0=null /b~1c/d/0", '  1="x" /b~1c/d/1', "e=[] /e", "f={} /f"]);
  expect(lines(value, false)).toEqual(["a=1 /a", "b/c={1} /b~1c", "e=[] /e", "f={} /f"]);
});

it("no container", () => {
  expect(lines("x")).toEqual(['(state)="x" ']);
  expect(lines(null)).toEqual(["(state)=null "]);
  expect(lines({})).toEqual([]);
});

it("a long list is cut", () => {
  const nodes = nodesOf({ list: Array.from({ length: 500 }, (_, i) => i) }, () => true);
  expect(nodes).toHaveLength(202);
  expect(nodes.at(-1)?.text).toBe("300 more");
});
