import { expect, test } from "vitest";
import { parse } from "./form/exact.ts";
import { factsOf, same } from "./facts.ts";

test("a flight", () => {
  const flight = { airline: "KLM", departure: "Amsterdam (AMS)", arrival: "San Francisco (SFO)", price: "$650", duration: "11h 30m" };
  expect(factsOf(flight, 0)).toEqual({
    title: "KLM",
    facts: [
      { label: "Departure", value: "Amsterdam (AMS)", kind: "place" },
      { label: "Arrival", value: "San Francisco (SFO)", kind: "place" },
      { label: "Price", value: "$650", kind: "price" },
      { label: "Duration", value: "11h 30m", kind: "time" },
    ],
  });
});

test("what is nobody's fact is left out, and what has no name gets a number", () => {
  expect(factsOf({ tags: ["x"], rating: 4, open: true }, 1)).toEqual({
    title: "Option 2",
    facts: [
      { label: "Rating", value: "4", kind: "rating" },
      { label: "Open", value: "true", kind: "other" },
    ],
  });
  expect(factsOf("M", 0)).toEqual({ title: "M", facts: [] });
  expect(factsOf(null, 0)).toEqual({ title: "null", facts: [] });
});

test("same", () => {
  expect(same({ a: 1, b: { c: [2] } }, { b: { c: [2] }, a: 1 })).toBe(true);
  expect(same({ a: 1 }, { a: 1, b: undefined })).toBe(false);
  expect(same({ a: 1 }, null)).toBe(false);
  expect(same("M", "M")).toBe(true);
});

test("numbers with more digits than JavaScript keeps are facts, and differ", () => {
  const option = parse('{"order":9007199254740993,"share":0.12345678901234567891}');
  expect(factsOf(option, 0).facts.map(({ value }) => value)).toEqual(["9007199254740993", "0.12345678901234567891"]);
  expect(factsOf(parse("9007199254740993"), 0).title).toBe("9007199254740993");
  expect([same(option, parse('{"share":0.12345678901234567891,"order":9007199254740993}')), same(option, parse('{"share":0.12345678901234567891,"order":9007199254740992}'))]).toEqual([true, false]);
});
