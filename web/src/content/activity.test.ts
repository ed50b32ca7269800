import { describe, expect, it } from "vitest";
import { shapeOf } from "./activity";

describe("the shape of an activity", () => {
  it("has title, text, status and progress by their usual names", () => {
    expect(shapeOf({ title: "Searching", message: "in the archive", status: "running", progress: 0.25, query: "tea" })).toEqual({
      title: "Searching",
      text: "in the archive",
      status: "running",
      progress: 0.25,
      steps: [],
      moreSteps: 0,
      rest: { query: "tea" },
    });
  });

  it("reads progress in percent and as a part of a total", () => {
    expect(shapeOf({ percent: 60 })?.progress).toBe(0.6);
    expect(shapeOf({ progress: { current: 3, total: 4 } })?.progress).toBe(0.75);
    expect(shapeOf({ progress: { current: 9, total: 4 } })?.progress).toBe(1);
    expect(shapeOf({ title: "x", progress: -1 })?.rest).toEqual({ progress: -1 });
  });

  it("reads steps that are texts, and objects with a state", () => {
    const steps = ["Pack", { title: "Book", status: "completed" }, { description: "Pay", status: "in_progress" }, { name: "Fly", done: false }, { task: "Rent", state: "failed" }];
    expect(shapeOf({ steps })?.steps).toEqual([
      { text: "Pack", doing: "waiting" },
      { text: "Book", doing: "done" },
      { text: "Pay", doing: "running" },
      { text: "Fly", doing: "waiting" },
      { text: "Rent", doing: "failed" },
    ]);
  });

  it("leaves a list that holds anything else to the tree", () => {
    expect(shapeOf({ title: "x", steps: ["a", 1] })).toMatchObject({ steps: [], rest: { steps: ["a", 1] } });
  });

  it("shows so many steps and no more", () => {
    expect(shapeOf({ steps: Array.from({ length: 130 }, (_, i) => `Step ${i}`) })).toMatchObject({ moreSteps: 30 });
  });

  it("is none where nothing is known, whatever the content is", () => {
    for (const content of [undefined, null, 7, "text", ["a"], {}, { a: 1 }, { title: 7 }]) expect(shapeOf(content)).toBeUndefined();
  });
});
