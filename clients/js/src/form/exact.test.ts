import { describe, expect, test } from "vitest";
import { Exact, marked, parse, rounded, sameNumber, shownNumber, stringify, typed, unmarked, unmarkedText } from "./exact.ts";

const big = "9007199254740993";

describe("JSON with exact numbers", () => {
  test.each([
    big, `-${big}`, "1234567890123456789", "0.1234567890123456789", "1e400", "-1e-400", "123456789012345678901234567890.5",
    `{"a":${big},"b":[${big},"${big}",1.5],"c":"\\"${big}"}`, `{"__proto__":${big},"constructor":{"x":${big}}}`,
  ])("%s is written as it was read", (text) => expect(stringify(parse(text))).toBe(text));

  test("has numbers that JavaScript keeps as such, whatever their spelling", () => {
    expect(parse(`[1.50,1e2,100.000000000000000000,0.1,5e-324,1.7976931348623157e308,9007199254740992,-0,"${big}"]`)).toEqual([1.5, 100, 100, 0.1, 5e-324, 1.7976931348623157e308, 9007199254740992, -0, big]);
    expect(stringify(parse("[1.50,1e2,10.0,7]", { spelling: true }))).toBe("[1.50,1e2,10.0,7]");
  });

  test.each(["{123456789012345678901:1}", "0123456789012345678901", "12345678901234567890.", "[12345678901234567890,]", ""])("%s is none", (text) => expect(() => parse(text)).toThrow());

  test("passes through code that knows only JSON, and nobody can make one up", () => {
    const value = parse(`{"a":${big},"text":"#x:12"}`);
    const other = structuredClone(marked(value));
    expect(stringify(unmarked(other))).toBe(`{"a":${big},"text":"#x:12"}`);
    const body = JSON.stringify({ payload: other, nested: JSON.stringify({ inside: JSON.stringify(other) }) });
    const read = JSON.parse(unmarkedText(body).replaceAll(big, "7")) as { payload: unknown; nested: string };
    expect(read.payload).toEqual({ a: 7, text: "#x:12" });
    expect(JSON.parse((JSON.parse(read.nested) as { inside: string }).inside)).toEqual({ a: 7, text: "#x:12" });
  });

  test("is rounded where something computes with it", () => expect(rounded(parse(`{"a":[${big}]}`))).toEqual({ a: [9007199254740992] }));
});

test("two numbers are the same if their values are", () => {
  const cases: [string, unknown, boolean][] = [["1.50", 1.5, true], ["1.50", new Exact("15e-1"), true], [big, 9007199254740992, false], [big, new Exact(big), true], ["0.00", 0, true], ["-1e1", 10, false], ["12", "12", false]];
  for (const [text, other, same] of cases) expect([text, other, sameNumber(new Exact(text), other), sameNumber(other, new Exact(text))]).toEqual([text, other, same, same]);
});

test("a number that is typed is that number", () => {
  expect(["12", "1.5", "", " ", "-", "many", "+5", "007"].map(typed)).toEqual([12, 1.5, undefined, undefined, "-", "many", 5, 7]);
  expect(shownNumber(typed(big))).toBe(big);
  expect(stringify(unmarked(typed(big)))).toBe(big);
  expect([undefined, null, 0, 2.5].map(shownNumber)).toEqual(["", "", "0", "2.5"]);
});
