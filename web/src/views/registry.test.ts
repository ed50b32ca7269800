import { expect, test } from "vitest";
import type { AgentInfo } from "../gateway/types";
import { plain } from "./plain";
import { hasOwnView, viewOf } from "./registry";
import { travel } from "./travel";

const agent = (id: string, ...participants: string[]): AgentInfo => ({
  id,
  description: "",
  interrupts: false,
  participants: participants.map((name) => ({ name, description: "" })),
});

test("an agent whose participants are the travel team's has the travel view, whatever it is called", () => {
  expect(viewOf(agent("holidays", "flights_agent", "hotels_agent", "experiences_agent"))).toBe(travel);
});

test("an agent of which only the id is known is chosen a view by it", () => {
  expect(viewOf(agent("travel"))).toBe(travel);
  expect(hasOwnView(agent("travel"))).toBe(true);
});

test("every other agent has the plain view, and its own name", () => {
  for (const other of [agent("pizza_desk", "flights_agent"), agent("")]) expect(viewOf(other)).toBe(plain);
  expect(hasOwnView(agent("pizza_desk"))).toBe(false);
  expect(plain.name(agent("pizza_desk"))).toBe("Pizza desk");
});

test("a thread of the travel view is named after where the trip goes, once it has begun", () => {
  expect(travel.subject?.({ destination: "Paris", planning_step: "start" })).toBeUndefined();
  expect(travel.subject?.({ destination: "Paris", planning_step: "collecting_flights" })).toBe("To Paris");
  expect(travel.subject?.("nonsense")).toBeUndefined();
});
