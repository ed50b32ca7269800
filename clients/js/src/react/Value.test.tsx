import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { parse } from "../form/exact.ts";
import { Value } from "./Value.tsx";

const shown = (value: unknown, changed?: ReadonlySet<string>) => renderToStaticMarkup(<Value value={value} {...(changed && { changed })} />);
const count = (html: string, part: string) => html.split(part).length - 1;

describe("a JSON value", () => {
  it("has its members by name, and the items of a list by number", () => {
    const text = shown({ order: "A-1", items: [{ euros: 40 }, null, true], none: [], empty: {}, blank: "" }).replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ").trim();
    expect(text).toBe("order A-1 items 1. euros 40 2. null 3. true none empty list empty empty blank empty text");
  });

  it("has numbers as they are written", () => expect(shown(parse('{"a":[9007199254740993,1e400]}'))).toMatch(/>9007199254740993<.*>1e400</));

  it("marks what is changed where it stands", () => {
    expect(shown({ a: { b: 1, c: 2 } }, new Set(["/a/b"]))).toMatch(/<li data-changed="true">.*b.*changed.*1.*<\/li><li>.*c/);
  });

  it("is cut where it is long, and where it is deep, with a button for the rest", () => {
    expect(shown("x".repeat(601))).toContain("Show all 601 characters");
    expect(shown("x".repeat(600))).not.toContain("<button");
    const many = shown(Array.from({ length: 25 }, (_, i) => i));
    expect([count(many, "<li"), many.includes("Show 5 more")]).toEqual([21, true]);
    let deep: unknown = "bottom";
    for (let i = 0; i < 5000; i++) deep = [deep];
    const top = shown(deep);
    expect([count(top, "<li"), top.includes("Show what is inside (1)")]).toEqual([5, true]);
  });

  it("shows the characters that cannot be seen", () => {
    const html = shown({ "re\u200bfund": "pay \u202e000,1\u202c EUR\nto bob" });
    expect(html).not.toMatch(/[\u200b\u202c\u202e]/);
    expect(html.replaceAll(/<[^>]*>/g, "")).toBe("reU+200Bfund  pay U+202E000,1U+202C EUR\nto bob");
  });

  it("is text, whatever it says", () => {
    expect(shown({ "<b>": "<img src=x onerror=alert(1)>" })).not.toMatch(/<b>|<img/);
  });
});
