import { describe, expect, test } from "vitest";
import { suggest } from "./suggest";
import { readTrip, stages } from "./trip";

const planned = {
  origin: "Amsterdam",
  destination: "San Francisco",
  itinerary: { flight: { airline: "KLM", price: "$650" }, hotel: { name: "Hotel Zoe", price_per_night: "$320/night", rating: 4.4 } },
  experiences: [{ name: "Pier 39", type: "activity" }, { type: "restaurant" }, null, { name: "Tartine", type: "restaurant", location: "Mission" }],
  planning_step: "complete",
};

describe("readTrip", () => {
  test("a whole plan", () => {
    expect(readTrip(planned)).toEqual({
      origin: "Amsterdam",
      destination: "San Francisco",
      flight: { airline: "KLM", price: "$650" },
      hotel: { name: "Hotel Zoe", pricePerNight: "$320/night", rating: "4.4" },
      experiences: [
        { name: "Pier 39", kind: "activity" },
        { name: "Tartine", kind: "restaurant", location: "Mission" },
      ],
      step: "complete",
      complete: true,
    });
  });

  test.each([undefined, null, 7, "x", [], {}, { itinerary: [], experiences: "no" }, { itinerary: { flight: {}, hotel: null } }])("nothing from %o", (state) => {
    expect(readTrip(state)).toEqual({ experiences: [], step: "start", complete: false });
  });
});

describe("stages", () => {
  const statuses = (state: object) => stages(readTrip(state)).map(({ status }) => status);
  test.each([
    [{}, ["next", "next", "next", "next"]],
    [{ destination: "Paris" }, ["next", "next", "next", "next"]],
    [{ destination: "Paris", planning_step: "collecting_flights" }, ["done", "now", "next", "next"]],
    [{ ...planned, planning_step: "curating_experiences" }, ["done", "done", "done", "now"]],
    [planned, ["done", "done", "done", "done"]],
  ])("of %o", (state, want) => expect(statuses(state)).toEqual(want));
});

test("suggestions follow the plan", () => {
  const titles = (state: object) => suggest(readTrip(state)).map(({ title }) => title);
  expect(titles({})).toContain("Plan my trip");
  expect(titles({ planning_step: "collecting_hotels" })).toContain("Go on with the plan");
  expect(titles(planned)).toContain("Start over");
});
