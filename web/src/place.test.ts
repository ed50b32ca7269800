import { expect, test } from "vitest";
import { hashOf, parsePlace, type Place } from "./place";

test.each<Place>([
  { view: "plan", agent: "travel", thread: "e89af9d7" },
  { view: "inspect", agent: "a_b-c", thread: "odd / % # ? é" },
])("there and back: %o", (place) => expect(parsePlace(hashOf(place))).toEqual(place));

test.each(["", "#", "#/t/travel", "#/t//x", "#/t/travel/", "#/t/a/b/c", "#/x/a/b", "#/t/a/%", "#/constructor/a/b", "rubbish"])("nowhere: %s", (hash) =>
  expect(parsePlace(hash)).toBeUndefined(),
);
