import { describe, expect, it, test } from "vitest";
import type { AguiEvent, SeenEvent } from "../../gateway/types";
import { HEIGHT, pictureOf, WIDTH } from "./layout";
import { spokenIn } from "./spoken";

const named = (...names: string[]) => names.map((name) => ({ name }));
const arrows = (picture: ReturnType<typeof pictureOf>) => picture.lines.map(({ from, to, kind, both }) => `${from || "agent"} ${both ? "<" : ""}${kind}> ${to}`);

describe("pictureOf", () => {
  it("is one box for an agent alone", () => {
    const { boxes, lines, width, height } = pictureOf("echo", {});
    expect(boxes.map(({ name, x, y }) => [name, x, y])).toEqual([["echo", 0, 0]]);
    expect([lines, width > WIDTH, height > HEIGHT]).toEqual([[], true, true]);
  });
  it("puts what is inside on the right, in its order, without two at one place", () => {
    const { boxes } = pictureOf("all", { kind: "chat", supervisor: "supervisor", participants: [...named("a", "b"), { name: "c", kind: "chat", participants: named("d", "e") }] });
    expect(boxes.map(({ path }) => path)).toEqual(["", "a", "b", "c", "c.d", "c.e"]);
    const places = boxes.map(({ x, y }) => `${x},${y}`);
    expect(new Set(places).size).toBe(6);
    const [, a, b, c, d] = boxes;
    expect(a!.y < b!.y && b!.y < c!.y && d!.x > c!.x).toBe(true);
  });
  it("draws whom a supervisor chooses, and whom a model calls", () => {
    expect(arrows(pictureOf("all", { kind: "chat", participants: named("a", "b") }))).toEqual(["agent team> a", "agent team> b"]);
    expect(arrows(pictureOf("all", { kind: "model", participants: named("a") }))).toEqual(["agent calls> a"]);
  });
  it("draws who may hand over to whom, once for both ways, and where they start", () => {
    const participants = [{ name: "a", handsOverTo: ["b"] }, { name: "b", handsOverTo: ["a", "c"] }, { name: "c" }];
    const picture = pictureOf("all", { kind: "chat", start: "a", participants });
    expect(arrows(picture)).toEqual(["agent team> a", "a <handover> b", "b handover> c"]);
    expect(picture.everybody).toEqual([]);
  });
  it("says that everybody may hand over to everybody, instead of drawing it", () => {
    const names = Array.from({ length: 40 }, (_, i) => `p${i}`);
    const picture = pictureOf("all", { start: "p0", participants: names.map((name) => ({ name, handsOverTo: names.filter((n) => n !== name) })) });
    expect(picture.everybody).toEqual([""]);
    expect(picture.lines).toHaveLength(1);
  });
  it("passes over a handover to somebody who is not told", () => expect(arrows(pictureOf("all", { start: "a", participants: [{ name: "a", handsOverTo: ["z"] }] }))).toEqual(["agent team> a"]));
});

test("who has spoken, and who speaks now", () => {
  const seen = (events: object[], replay = false) => events.map((event, n): SeenEvent => ({ n, event: event as AguiEvent, at: 0, replay }));
  const [start, end] = [(stepName: string) => ({ type: "STEP_STARTED", stepName }), (stepName: string) => ({ type: "STEP_FINISHED", stepName })];
  const { turns, active } = spokenIn(seen([{ type: "RUN_STARTED" }, start("a"), end("a"), start("b"), { type: "RUN_ERROR" }, { type: "RUN_STARTED" }, start("a"), start("c.d")]));
  expect([...turns]).toEqual([["a", 2], ["b", 1], ["c.d", 1]]);
  expect([...active]).toEqual(["a", "c.d"]);
  expect([...spokenIn(seen([{ type: "RUN_STARTED" }, start("a")], true)).turns], "what a prelude repeats is not counted again").toEqual([]);
});
