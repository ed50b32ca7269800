import { expect, it } from "vitest";
import { nodesOf } from "./tree";

const lines = (value: unknown, open = true) => nodesOf(value, { isOpen: () => open }).map((n) => `${" ".repeat(n.level - 1)}${n.name}=${n.text} ${n.path}`);

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
  const nodes = nodesOf({ list: Array.from({ length: 500 }, (_, i) => i) }, { isOpen: () => true, wanted: (path) => path === "/list/400" });
  expect(nodes).toHaveLength(103);
  expect(nodes.slice(-2).map((n) => n.text)).toEqual(["400", "399 more"]);
  const wide = Object.fromEntries(Array.from({ length: 90 }, (_, i) => [`k${i}`, Array.from({ length: 90 }, (_, j) => j)]));
  expect(nodesOf(wide, { isOpen: () => true }).length).toBeLessThan(800);
});
