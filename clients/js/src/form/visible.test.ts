import { expect, test } from "vitest";
import { visible } from "./visible.ts";
import { words } from "./words.ts";

const char = (code: number) => String.fromCodePoint(code);
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);
const unseen = [...range(0, 0x1f), ...range(0x7f, 0x9f), 0xad, 0x61c, ...range(0x200b, 0x200f), ...range(0x2028, 0x202e), ...range(0x2060, 0x2064), ...range(0x2066, 0x2069), 0x3164, 0xfe0e, 0xfeff, ...range(0xe0001, 0xe007f)];

test("every character that cannot be seen has its name", () => {
  for (const code of unseen) expect(visible(`a${char(code)}b`), code.toString(16)).toBe(`a⟦U+${code.toString(16).toUpperCase().padStart(4, "0")}⟧b`);
  for (const code of [0xa0, 0x2003, 0x3000]) expect(visible(`alice${char(code)}`)).toBe(`alice⟦U+${code.toString(16).toUpperCase().padStart(4, "0")}⟧`);
});

test("a text has its lines, a name has none", () => {
  expect(visible("one\n\ttwo\r", { lines: true })).toBe("one\n\ttwo⟦U+000D⟧");
  expect(visible("one\ntwo")).toBe("one⟦U+000A⟧two");
});

test.each(["", "plain", "Größe 5 €", "שלום", "日本", "I ❤️ it 👩‍👩‍👧 👍🏽"])("%j stays as it is", (text) => expect(visible(text)).toBe(text));

test("a joiner is seen where it joins no picture", () => expect(visible("a\u200d👍")).toBe("a⟦U+200D⟧👍"));

test("names of tools and members are seen whole", () => expect(words("re\u202efund_all")).toBe("Re⟦U+202E⟧fund all"));
