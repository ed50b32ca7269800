import { applyPatch as oracle, deepClone, type Operation } from "fast-json-patch";
import { describe, expect, it } from "vitest";
import { parse, stringify } from "./form/exact.ts";
import { applyPatch, difference, members, pointer } from "./patch.ts";
import { random } from "./testing.ts";
import type { PatchOperation } from "./types.ts";

type Random = ReturnType<typeof random>;

function value(r: Random, depth = 3): unknown {
  const kind = depth > 0 ? r.below(6) : r.below(4);
  if (kind === 0) return r.below(5);
  if (kind === 1) return r.word();
  if (kind === 2) return null;
  if (kind === 3) return r.chance(0.5);
  if (kind === 4) return Array.from({ length: r.below(4) }, () => value(r, depth - 1));
  return Object.fromEntries(Array.from({ length: r.below(4) }, () => [r.pick(["a", "b", "c/d", "e~f", ""]), value(r, depth - 1)]));
}

/** Pointers into a document, and some beside it. */
function pointers(document: unknown, at = ""): string[] {
  if (typeof document !== "object" || document === null) return [at];
  const list = Object.entries(document).flatMap(([key, inner]) => pointers(inner, pointer(at, key)));
  return [at, ...list, pointer(at, "new"), pointer(at, Array.isArray(document) ? "-" : "zz")];
}

function frozen<T>(v: T): T {
  if (typeof v === "object" && v !== null) Object.values(Object.freeze(v)).forEach(frozen);
  return v;
}

describe("applyPatch", () => {
  it("does what fast-json-patch does to a copy, and leaves the document alone", { timeout: 60_000 }, () => {
    let [applied, refused] = [0, 0];
    for (let seed = 1; seed <= 300; seed++) {
      const r = random(seed);
      const document = frozen({ x: value(r), y: value(r), list: [1, value(r), 3] });
      const before = JSON.stringify(document);
      const paths = pointers(document).filter((p) => p !== "");
      const operations = Array.from({ length: 1 + r.below(3) }, (): PatchOperation => {
        const op = r.pick(["add", "replace", "remove", "move", "copy", "test"] as const);
        const operation: PatchOperation = { op, path: r.pick(paths) };
        if (op === "move" || op === "copy") operation.from = r.pick(paths);
        if (op === "add" || op === "replace" || op === "test") operation.value = frozen(value(r, 1));
        return operation;
      });
      // A move into its own child is illegal, and fast-json-patch loops over it.
      if (operations.some((o) => o.op === "move" && `${o.path}/`.startsWith(`${o.from}/`))) continue;
      let [want, got]: unknown[] = ["refused", "refused"];
      try {
        want = oracle(deepClone(document), deepClone(operations) as Operation[], true).newDocument;
        applied++;
      } catch {
        refused++;
      }
      try {
        got = applyPatch(document, operations);
      } catch {
        // as the oracle, or the comparison says so
      }
      expect(got, `seed ${seed}`).toEqual(want);
      expect(JSON.stringify(document)).toBe(before);
    }
    expect(applied).toBeGreaterThan(30);
    expect(refused).toBeGreaterThan(30);
  });

  it("shares what was not touched", () => {
    const document = { a: { deep: [1, 2] }, b: { c: { d: 1 } } };
    const next = applyPatch(document, [{ op: "replace", path: "/b/c/d", value: 2 }]) as typeof document;
    expect(next).toEqual({ a: { deep: [1, 2] }, b: { c: { d: 2 } } });
    expect(next.a).toBe(document.a);
    expect(document.b.c.d).toBe(1);
  });

  it("replaces the whole document", () => {
    expect(applyPatch({ a: 1 }, [{ op: "replace", path: "", value: [1] }])).toEqual([1]);
  });

  it("does not touch prototypes", () => {
    expect(() => applyPatch({}, [{ op: "add", path: "/__proto__/x", value: 1 }])).toThrow();
    expect(({} as { x?: number }).x).toBeUndefined();
  });
});

describe("difference", () => {
  it("leads from one document to the other", { timeout: 60_000 }, () => {
    for (let seed = 1; seed <= 500; seed++) {
      const r = random(seed);
      const [from, to] = [value(r), value(r)];
      expect(applyPatch(from, difference(from, to)), `seed ${seed}`).toEqual(to);
    }
  });
  it("is empty between equals", () => {
    expect(difference({ a: [1] }, { a: [1] })).toEqual([]);
    expect(difference(null, null)).toEqual([]);
  });
});

it("pointers are escaped and unescaped", () => {
  for (const list of [[], ["a"], ["a/b", "~", "~1", "", "0"]]) {
    expect(members(list.reduce((p, m) => pointer(p, m), ""))).toEqual(list);
  }
});

it("keeps and compares numbers that JavaScript has not", () => {
  const before = parse('{"a":{"id":9007199254740993},"b":1}');
  const after = parse('{"a":{"id":9007199254740992},"b":9007199254740993}');
  expect(stringify(difference(before, after).sort((a, b) => (a.path < b.path ? -1 : 1)))).toBe(
    '[{"op":"replace","path":"/a/id","value":9007199254740992},{"op":"replace","path":"/b","value":9007199254740993}]',
  );
  expect([difference(before, parse(stringify(before))), difference(parse("9007199254740993"), 9007199254740992).length]).toEqual([[], 1]);
  expect(stringify(applyPatch(before, [{ op: "copy", from: "/a", path: "/c" }, { op: "test", path: "/c/id", value: parse("9007199254740993") }, { op: "move", from: "/a/id", path: "/b" }]))).toBe(
    '{"a":{},"b":9007199254740993,"c":{"id":9007199254740993}}',
  );
});
