import { expect, test } from "vitest";
import { Session } from "./session.ts";

function storage(values: Record<string, string> = {}) {
  const kept = new Map(Object.entries(values));
  return { getItem: (key: string) => kept.get(key) ?? null, setItem: (key: string, value: string) => void kept.set(key, value), removeItem: (key: string) => void kept.delete(key) };
}

test("a tab remembers its thread and cursor by name, until it forgets them", () => {
  const store = storage();
  const trip = new Session("trip", store);
  expect(trip.read()).toBeUndefined();
  trip.write({ threadId: "t" });
  expect(new Session("trip", store).read()).toEqual({ threadId: "t" });
  trip.write({ threadId: "t", cursor: "1-2-3" });
  expect(new Session("trip", store).read()).toEqual({ threadId: "t", cursor: "1-2-3" });
  expect(new Session("desk", store).read()).toBeUndefined();
  trip.write(undefined);
  expect(trip.read()).toBeUndefined();
});

test.each(["{", "null", "7", '{"threadId":7}', '{"threadId":""}'])("what another script has left is nothing: %s", (text) => {
  expect(new Session("trip", storage({ "agui-gateway trip": text })).read()).toBeUndefined();
});

test("storage that is forbidden or full is none", () => {
  const fail = () => {
    throw new DOMException("no", "SecurityError");
  };
  const trip = new Session("trip", { getItem: fail, setItem: fail, removeItem: fail });
  trip.write({ threadId: "t" });
  expect(trip.read()).toBeUndefined();
});
