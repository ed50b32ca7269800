import { expect, it } from "vitest";
import { costly } from "./costly";

const lines = (n: number, line: (i: number) => string) => Array.from({ length: n }, (_, i) => line(i)).join("\n");

it.each([
  ["brackets in each other", "[".repeat(101) + "x" + "]".repeat(101)],
  ["brackets without an end", "[".repeat(20_000)],
  ["lists in each other", lines(30, (i) => " ".repeat(2 * i) + "- a")],
  ["numbered lists in each other", lines(30, (i) => " ".repeat(3 * i) + "1. a")],
  ["lists in one line", "- ".repeat(30) + "a"],
  ["quotes in one line", ">".repeat(30) + "a"],
  ["lists in quotes", "> - ".repeat(15) + "a"],
  ["a long text", "a ".repeat(200_000)],
])("is costly: %s", (_, text) => expect(costly(text)).toBe(true));

it.each([
  ["a paragraph", "Some *words* and a [link](https://example.com)."],
  ["many links", "[a](/b) ".repeat(5_000)],
  ["many lists", lines(5_000, (i) => " ".repeat(2 * (i % 10)) + "- a")],
  ["a list of boxes", lines(2_000, () => "- [ ] do it")],
  ["a table", lines(200, () => "| a | b | - |")],
  ["a rule", "- - - - -\n\n" + "-".repeat(500)],
  ["code that is indented", "```\n" + lines(60, (i) => " ".repeat(i) + "x = 1") + "\n```"],
  ["open brackets in many paragraphs", lines(500, () => "a [b\n")],
])("is not costly: %s", (_, text) => expect(costly(text)).toBe(false));

it("is judged in a time that grows with the length only", () => {
  const began = performance.now();
  for (const part of ["- ", ">", "1. ", " ", "[", "]", "\n", "> - ", "\t- "]) costly(part.repeat(95_000 / part.length));
  expect(performance.now() - began).toBeLessThan(5_000);
});
