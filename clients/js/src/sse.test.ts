import { describe, expect, it } from "vitest";
import { type Frame, FrameParser } from "./sse.ts";
import { random } from "./testing.ts";

describe("FrameParser", () => {
  const cases: [string, string, Frame[]][] = [
    ["a frame", "id: 7-1\ndata: {}\n\n", [{ id: "7-1", data: "{}" }]],
    ["CRLF", "id: 7-1\r\ndata: {}\r\n\r\n", [{ id: "7-1", data: "{}" }]],
    ["CR", "id: 7-1\rdata: {}\r\r", [{ id: "7-1", data: "{}" }]],
    ["mixed ends", "data: a\r\n\ndata: b\n\r\ndata: c\r\r", [{ data: "a" }, { data: "b" }, { data: "c" }]],
    ["lines of data", "data: a\ndata:\ndata:  b\n\n", [{ data: "a\n\n b" }]],
    ["no space", "data:a\nid:1\n\n", [{ data: "a", id: "1" }]],
    ["comments", ": ping\n\n:\ndata: a\n: more\n\n", [{ data: "a" }]],
    ["no data", "id: 9\n\ndata: a\n\n", [{ data: "a" }]],
    ["an empty line of data", "data\n\n", [{ data: "" }]],
    ["an id with NUL", "id: 1\0\ndata: a\n\n", [{ data: "a" }]],
    ["an event's name", "event: x\ndata: a\n\ndata: b\n\n", [{ event: "x", data: "a" }, { data: "b" }]],
    ["unknown fields", "retry: 5\nfoo: bar\ndata: a\n\n", [{ data: "a" }]],
    ["a colon in the value", "data: a: b\n\n", [{ data: "a: b" }]],
    ["a byte order mark", "\uFEFFdata: a\n\n", [{ data: "a" }]],
    ["an unfinished frame", "data: a\n\ndata: b\n", [{ data: "a" }]],
  ];
  for (const [name, text, frames] of cases) {
    it(name, () => expect(new FrameParser().push(text)).toEqual(frames));
    it(`${name}, a character at a time`, () => {
      const parser = new FrameParser();
      expect([...text].flatMap((c) => parser.push(c))).toEqual(frames);
    });
  }

  it("reads what was written, in whatever line ends and pieces", { timeout: 60_000 }, () => {
    for (let seed = 1; seed <= 300; seed++) {
      const r = random(seed);
      const frames: Frame[] = [];
      let text = r.chance(0.2) ? "\uFEFF" : "";
      for (let i = r.below(6); i > 0; i--) {
        const end = () => r.pick(["\n", "\r\n", "\r"]);
        const lines = Array.from({ length: 1 + r.below(3) }, () => r.word());
        const frame: Frame = { data: lines.join("\n") };
        // A field that begins with a CR-terminated line may not be followed by a bare LF: that would be one CRLF.
        let written = lines.map((line) => ({ line: `data: ${line}` }));
        if (r.chance(0.7)) {
          frame.id = `${r.below(9)}-${i}`;
          written = [{ line: `id: ${frame.id}` }, ...written];
        }
        if (r.chance(0.3)) written.push({ line: `: ${r.word()}` });
        for (const { line } of [...written, { line: "" }]) {
          let e = end();
          if (line === "" && text.endsWith("\r") && e === "\n") e = "\r";
          text += line + e;
        }
        frames.push(frame);
      }
      const parser = new FrameParser();
      const read: Frame[] = [];
      for (let at = 0; at < text.length; ) {
        const n = r.below(7);
        read.push(...parser.push(text.slice(at, at + n)));
        at += n;
      }
      expect(read, `seed ${seed}`).toEqual(frames);
    }
  });
});
