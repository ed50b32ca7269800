import { describe, expect, it } from "vitest";
import { about, filesOf, refusedFile, textOf } from "./parts";

const picture = { type: "image", source: { type: "data", value: "AAAA", mimeType: "image/png" }, metadata: { filename: "a.png" } } as const;

describe("a content", () => {
  it("is text, or parts with texts and files in their places", () => {
    expect([textOf("Hi"), filesOf("Hi")]).toEqual(["Hi", []]);
    const content = [{ type: "text", text: "One" }, picture, { type: "text", text: "Two" }];
    expect(textOf(content)).toBe("One\nTwo");
    expect(filesOf(content)).toEqual([{ at: 1, part: picture }]);
  });

  it("of any other form has nothing", () => {
    for (const content of [undefined, null, 7, {}, [null, 7, { type: "image" }, { type: "image", source: {} }, { type: "poem" }]]) {
      expect([textOf(content), filesOf(content)]).toEqual(["", []]);
    }
  });
});

describe("what is said about a file", () => {
  it("is its name, its type and the size of its bytes", () => {
    expect(about(picture)).toEqual({ name: "a.png", mimeType: "image/png", size: 3 });
    expect(about({ ...picture, source: { ...picture.source, value: "AA==" } }).size).toBe(1);
  });

  it("is what the sender has said of one that is elsewhere", () => {
    expect(about({ type: "document", source: { type: "url", value: "/threads/t" }, metadata: { size: 12 } })).toEqual({ name: "Document", mimeType: "", size: 12 });
    expect(about({ type: "video", source: { type: "url", value: "/threads/t" } })).toEqual({ name: "Video", mimeType: "", size: undefined });
  });
});

it("a refusal names the file by its part, and says what is wrong", () => {
  const refusal = "messages[0].content[1] is not of the type that it declares.";
  expect(refusedFile(refusal, true)).toEqual({ at: 0, problem: "It is not of the type that it declares." });
  expect(refusedFile(refusal, false)?.at).toBe(1);
  expect(refusedFile("the body is too large", true)).toBeUndefined();
});
