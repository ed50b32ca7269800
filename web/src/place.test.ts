import { expect, test } from "vitest";
import { hashOf, parseAgent, parsePlace, type Place } from "./place";

test.each<Place>([
  { agent: "travel", thread: "e89af9d7" },
  { agent: "a_b-c", thread: "odd / % # ? é" },
  { agent: "travel", thread: "a?inspect=state", dock: { tab: "runs" } },
  { agent: "travel", thread: "x", dock: { tab: "events", run: 3, event: "1-17-a&b" } },
])("there and back: %o", (place) => expect(parsePlace(hashOf(place))).toEqual(place));

test.each(["", "#", "#/t/travel", "#/t//x", "#/t/travel/", "#/t/a/b/c", "#/x/a/b", "#/t/a/%", "#/constructor/a/b", "rubbish"])("nowhere: %s", (hash) =>
  expect(parsePlace(hash)).toBeUndefined(),
);

test.each<[string, Place]>([
  ["#/inspect/a/b", { agent: "a", thread: "b", dock: { tab: "events" } }],
  ["#/t/a/b?inspect=nothing&run=-1", { agent: "a", thread: "b", dock: { tab: "events" } }],
  ["#/t/a/b?run=2", { agent: "a", thread: "b" }],
])("what is wrong in an address is passed over: %s", (hash, place) => expect(parsePlace(hash)).toEqual(place));

test.each<[string, string | undefined]>([
  ["#/t/travel", "travel"],
  ["#/t/a%20b/", "a b"],
  ["#/t/travel/x", undefined],
  ["#/t/%", undefined],
  ["#/", undefined],
  ["", undefined],
])("the agent that %s names without a thread", (hash, agent) => expect(parseAgent(hash)).toBe(agent));
