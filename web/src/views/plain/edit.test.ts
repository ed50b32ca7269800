import { expect, test } from "vitest";
import { parse, stringify } from "client/form/exact";
import { at, conflictOf, type Edit, isDone, kindOf, mayWrite, namesFor, operationOf, problemOf, textOf, valueOf } from "./edit";

const edit = (more: Partial<Edit>): Edit => ({ id: "e", what: "change", path: "/a", name: "", list: false, kind: "Text", text: "", base: undefined, ...more });

test.each([
  ["/a/b", [""], true],
  ["/a", ["/a"], true],
  ["/a/b", ["/a"], true],
  ["/ab", ["/a"], false],
  ["", ["/a"], false],
  ["/a", [], false],
])("%s may be written below %j: %s", (path, writable, may) => expect(mayWrite(path, writable)).toBe(may));

test("to the whole state any name may be added, or one that is allowed and not there yet", () => {
  expect(namesFor({}, [""])).toBeUndefined();
  expect(namesFor({ a: 1 }, ["/a", "/b~1c"])).toEqual(["b/c"]);
  expect(namesFor(undefined, [])).toEqual([]);
});

test.each([["x"], [""], [3.5], [true], [false], [null], [[1, "two"]], [{ a: {} }]])("%j is edited as what it is", (value) => {
  expect(valueOf({ kind: kindOf(value), text: textOf(value) })).toEqual({ value });
});

test("numbers keep their digits", () => {
  const state = parse('{"id":9007199254740993}');
  const seen = edit({ what: "change", path: "/id", kind: kindOf(at(state, "/id")?.value), text: textOf(at(state, "/id")?.value), base: at(state, "/id")?.value });
  expect([seen.kind, seen.text, conflictOf(seen, state), isDone(seen, state)]).toEqual(["Number", "9007199254740993", undefined, true]);
  expect(conflictOf(seen, parse('{"id":9007199254740992}'))).toEqual({ now: 9007199254740992 });
  expect(stringify(operationOf({ ...seen, text: "9007199254740995" }, state))).toBe('{"op":"replace","path":"/id","value":9007199254740995}');
  expect(stringify(operationOf({ ...seen, kind: "List or object", text: "[9007199254740995]" }, state))).toMatch(/\[9007199254740995\]/);
});

test("what is no number, list or object is told", () => {
  for (const text of ["", " ", "x", "1e999"]) expect(valueOf({ kind: "Number", text })).toHaveProperty("problem");
  for (const text of ["", "[", "3"]) expect(valueOf({ kind: "List or object", text })).toHaveProperty("problem");
  expect(problemOf(edit({ what: "add", kind: "Text", text: "x" }))).toBe("Please enter a name.");
  expect(problemOf(edit({ what: "remove" }))).toBeUndefined();
});

test("a value that somebody else has changed or removed is a conflict, another one is not", () => {
  const change = edit({ path: "/a/0", base: "old", text: "new" });
  expect(conflictOf(change, { a: ["old"], b: 2 })).toBeUndefined();
  expect(conflictOf(change, { a: ["theirs"] })).toEqual({ now: "theirs" });
  expect(conflictOf(change, {})).toEqual({ now: undefined });
});

test("a name that somebody else has added is a conflict, a longer list is not", () => {
  expect(conflictOf(edit({ what: "add", path: "", name: "a/b" }), { "a/b": 1 })).toEqual({ now: 1 });
  expect(conflictOf(edit({ what: "add", path: "/a", list: true }), { a: [1, 2] })).toBeUndefined();
  expect(conflictOf(edit({ what: "add", path: "/a", list: true }), { a: 1 })).toEqual({ now: 1 });
});

test("what is removed already needs no removal", () => {
  const remove = edit({ what: "remove", base: 1 });
  expect(conflictOf(remove, {})).toBeUndefined();
  expect(isDone(remove, {})).toBe(true);
  expect(conflictOf(remove, { a: 2 })).toEqual({ now: 2 });
});

test("an edit becomes one operation", () => {
  expect(operationOf(edit({ text: "x" }), { a: 1 })).toEqual({ op: "replace", path: "/a", value: "x" });
  expect(operationOf(edit({ text: "x" }), {})).toEqual({ op: "add", path: "/a", value: "x" });
  expect(operationOf(edit({ what: "add", list: true, kind: "Number", text: "2" }), { a: [1] })).toEqual({ op: "add", path: "/a/-", value: 2 });
  expect(operationOf(edit({ what: "add", path: "", name: "a~b", kind: "Nothing" }), {})).toEqual({ op: "add", path: "/a~0b", value: null });
  expect(operationOf(edit({ what: "remove" }), { a: 1 })).toEqual({ op: "remove", path: "/a" });
});

test("a change whose answer was lost is known to be done", () => {
  expect(isDone(edit({ text: "x", base: "y" }), { a: "x" })).toBe(true);
  expect(isDone(edit({ what: "add", list: true, text: "x" }), { a: ["x"] })).toBe(false);
});
