import type { Suggestion } from "../view";
import type { Trip } from "./trip";

/** What one may want to say next, by how far the plan is. */
export function suggest(trip: Trip): Suggestion[] {
  if (trip.complete) {
    return [
      { title: "Change the hotel", message: "I would like another hotel" },
      { title: "Change the flight", message: "I would like another flight" },
      ...(trip.destination ? [{ title: `More about ${trip.destination}`, message: `Tell me everything about ${trip.destination}` }] : []),
      { title: "Start over", message: "Start over" },
    ];
  }
  if (trip.step === "start") {
    return [
      { title: "Plan my trip", message: "Plan my trip" },
      { title: "Five days in Paris", message: "Plan five days in Paris" },
      { title: "Tell me about San Francisco", message: "Tell me everything about San Francisco" },
    ];
  }
  return [
    { title: "Go on with the plan", message: "Please go on with the plan" },
    ...(trip.destination ? [{ title: `Tell me about ${trip.destination}`, message: `Tell me everything about ${trip.destination}` }] : []),
  ];
}
