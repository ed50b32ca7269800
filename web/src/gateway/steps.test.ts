import { expect, test } from "vitest";
import { noSteps, step, withSteps } from "./steps";
import type { AguiEvent, SeenEvent } from "./types";

const tell = (id: string, more = {}) => ({ type: "CUSTOM", name: "gateway.trace", value: { id, kind: "turn", start: 1000, ...more } });
const [started, finished] = [{ type: "RUN_STARTED" }, { type: "RUN_FINISHED" }];
const after = (events: object[], replay = false) =>
  withSteps(noSteps, events.map((event, n): SeenEvent => ({ n, event: event as AguiEvent, at: 5000 + n, replay })));
const ids = (events: object[]) => [...after(events).all.keys()];

test("a step is told of twice and known once", () => {
  const { all } = after([started, tell("a"), tell("b"), tell("a", { end: 1200 })]);
  expect([...all.values()].map(({ id, end }) => [id, end])).toEqual([["a", 1200], ["b", undefined]]);
});

test("another run has other steps, whether they are told before its start or after", () => {
  expect(ids([started, tell("a"), finished, started, tell("b")])).toEqual(["b"]);
  expect(ids([started, tell("a"), finished, tell("b"), started, tell("c")])).toEqual(["b", "c"]);
  expect(ids([started, tell("a"), finished, tell("a", { end: 2 })]), "the last word of the run that has ended").toEqual(["a"]);
  expect(ids([started, tell("a"), started, tell("b")]), "a run that was taken over goes on").toEqual(["a", "b"]);
});

test("the newest time tells the gateway's clock", () => {
  expect(after([started, tell("a", { end: 1400 }), tell("b")]).newest).toEqual({ clock: 1400, at: 5001 });
  expect(after([{ type: "TEXT_MESSAGE_START", timestamp: 1500 }]).newest).toEqual({ clock: 1500, at: 5000 });
  expect(after([{ type: "TEXT_MESSAGE_START", timestamp: 1500 }], true).newest).toBeUndefined();
});

test("many steps are taken in at once, and nothing is copied for what changes nothing", () => {
  const many = Array.from({ length: 3000 }, (_, i) => tell(`${i}`));
  expect(after([started, ...many]).all.size).toBe(3000);
  const some = after([started, tell("a")]);
  expect(withSteps(some, [{ n: 9, event: { type: "STEP_STARTED", stepName: "s" }, at: 9, replay: false }])).toBe(some);
});

test("what is no step is none", () => {
  for (const event of [{ type: "CUSTOM", name: "gateway.trace", value: null }, { type: "CUSTOM", name: "gateway.trace", value: { id: 1 } }, { type: "CUSTOM", name: "other", value: { id: "a", start: 1 } }, started]) {
    expect(step(event as AguiEvent)).toBeUndefined();
  }
});
