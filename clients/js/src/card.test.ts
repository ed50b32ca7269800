import { expect, it } from "vitest";
import { askerOf, cardOf } from "./card.ts";
import type { Interrupt } from "./types.ts";

const interrupt = (metadata: unknown) => ({ id: "i", reason: "r", metadata }) as Interrupt;

it("takes what has its shape", () => {
  const card = { message: "Which?", options: [1, "a"], recommendation: 1, agent: "flights" };
  expect(cardOf(interrupt({ value: card }))).toEqual(card);
});

it("survives any metadata", () => {
  for (const metadata of [undefined, null, {}, { value: null }, { value: "x" }, { value: 7 }, { value: [] }, { value: { message: {}, options: "ab", recommendation: null, agent: 3 } }]) {
    expect(cardOf(interrupt(metadata))).toEqual({});
    expect(askerOf(interrupt(metadata))).toBe("");
  }
});

it("knows who asked", () => {
  expect(askerOf(interrupt({ groupchat: { path: "desk.flights_agent" }, value: { agent: "flights" } }))).toBe("desk.flights_agent");
  expect(askerOf(interrupt({ groupchat: "x", value: { agent: "flights" } }))).toBe("flights");
});
