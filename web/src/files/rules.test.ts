import { describe, expect, it } from "vitest";
import { choose, kindOf, nameOf, sizeInWords, typeOf, typesInWords } from "./rules";

const file = (name: string, type: string, size = 10) => ({ name, type, size });

describe("the files of a message", () => {
  const rules = { types: ["image/*", "application/pdf"], maxSize: 2048, maxCount: 2 };

  it("are taken by type and range", () => {
    const files = [file("a.png", "image/png"), file("b.pdf", "application/pdf")];
    expect(choose(files, rules, 0)).toEqual({ taken: files, problems: [] });
    expect(choose([file("c", "application/zip")], { types: ["*/*"] }, 0).taken).toHaveLength(1);
  });

  it("are refused by type, size and emptiness, each with its reason", () => {
    expect(choose([file("c.zip", "application/zip"), file("d.png", "image/png", 3000), file("e.png", "image/png", 0)], rules, 0)).toEqual({
      taken: [],
      problems: [
        "“c.zip” is of a type that this agent does not take. It takes pictures and PDF.",
        "“d.png” has 2.9 KB. A file may have 2 KB at most.",
        "“e.png” is empty.",
      ],
    });
  });

  it("are counted together with those that are there", () => {
    const files = [file("a.png", "image/png"), file("b.png", "image/png"), file("c.png", "image/png")];
    expect(choose(files, rules, 1)).toEqual({ taken: [files[0]], problems: ["A message may have 2 files: 2 more were left out."] });
    expect(choose(Array.from({ length: 30 }, (_, i) => file(`${i}.png`, "image/png")), { types: ["image/*"] }, 0).taken).toHaveLength(20);
  });
});

it("a type is the browser's, without parameters, or is known by the name", () => {
  expect([file("a.md", ""), file("A.CSV", ""), file("b.txt", "text/plain;charset=utf-8"), file("c.bin", ""), file("none", "")].map(typeOf)).toEqual(["text/markdown", "text/csv", "text/plain", "", ""]);
});

it("a file belongs in the part of its family", () => {
  expect(["image/png", "audio/mpeg", "video/mp4", "application/pdf", "text/plain", ""].map(kindOf)).toEqual(["image", "audio", "video", "document", "document", "document"]);
});

it("types and sizes are said in words", () => {
  expect(typesInWords(["image/*"])).toBe("pictures");
  expect(typesInWords(["image/*", "text/csv", "text/plain"])).toBe("pictures, CSV and text");
  expect(nameOf("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet")).toBe("Excel");
  expect([7, 2048, 20_480, 5_000_000].map(sizeInWords)).toEqual(["7 bytes", "2 KB", "20 KB", "4.8 MB"]);
});
