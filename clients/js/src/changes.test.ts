import { expect, it } from "vitest";
import { changedPaths, changesOf } from "./changes.ts";

it("what is new or other is marked where it stands, and what is gone is not", () => {
  expect(changedPaths({ a: 1, b: { c: 1, d: 2 }, e: 3 }, { a: 1, b: { c: 2, d: 2 }, f: 4 })).toEqual(new Set(["/b/c", "/f"]));
  expect(changedPaths({ a: 1 }, { a: 1 })).toEqual(new Set());
});

it("changes are told by argument, each once", () => {
  expect(changesOf({ "a/b": [1, 2], keep: 1, gone: true }, { "a/b": [3], keep: 1, new: null })).toEqual(
    expect.arrayContaining([
      { name: "a/b", before: [1, 2], after: [3] },
      { name: "gone", before: true, after: undefined },
      { name: "new", before: undefined, after: null },
    ]),
  );
  expect(changesOf({ "a/b": [1, 2] }, { "a/b": [3] })).toHaveLength(1);
});
