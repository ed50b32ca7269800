import { beforeEach, expect, test } from "vitest";
import { Drafts } from "./drafts";
import { JsonText, marked, parse, stringify } from "client/form";

let stored: Map<string, string>;
let over: boolean;
const storage = { getItem: (key: string) => stored.get(key) ?? null, setItem: (key: string, value: string) => void stored.set(key, value), removeItem: (key: string) => void stored.delete(key) };
const load = () => new Drafts(storage, () => over);
beforeEach(() => void ([stored, over] = [new Map(), false]));

test("drafts are there after a reload: a message, a form that is half filled in, and JSON", () => {
  load().set("message desk/t", "Dear");
  const form = { q1: { value: marked(parse('{"name":"Ada","order":9007199254740993,"none":null}')) }, q2: { value: new JsonText('{"a": ') }, q3: { option: 1 } };
  load().set("answers desk/t", form);
  expect(load().get("message desk/t", "")).toBe("Dear");
  const again = load().get<typeof form>("answers desk/t", form);
  expect(stringify(again.q1)).toBe('{"value":{"name":"Ada","order":9007199254740993,"none":null}}');
  expect([again.q2.value, again.q3]).toEqual([new JsonText('{"a": '), { option: 1 }]);
});

test("a draft that is empty, too long or a file is not kept", () => {
  const drafts = load();
  for (const [key, draft] of [["a", ""], ["b", undefined], ["c", "x".repeat(300_000)], ["files desk/t", [{ id: "f" }]]] as const) {
    drafts.set(key, "before");
    drafts.set(key, draft);
    expect([drafts.get(key, "initial"), stored.has(`draft ${key}`)]).toEqual([draft, false]);
  }
  stored.set("draft d", "rubbish");
  expect(load().get("d", "initial")).toBe("initial");
});

test("nothing is kept once the person has signed out, and the oldest of many is given up", () => {
  const drafts = load();
  for (let i = 0; i < 101; i++) drafts.set(`k${i}`, i);
  expect([stored.size, stored.has("draft k0")]).toEqual([100, false]);
  stored.clear();
  over = true;
  drafts.set("k", "secret");
  expect(stored.size).toBe(0);
});
