import { lazy } from "react";
import { IconBed, IconPlane, IconSpark } from "../../shell/icons";
import type { Sign, View } from "../view";
import { suggest } from "./suggest";
import { readTrip } from "./trip";

const Itinerary = lazy(() => import("./Itinerary"));

/** The team that agents of the type `travel` are, whatever the team file calls them. */
const team = ["flights_agent", "hotels_agent", "experiences_agent"];

const signs: (Sign & { pattern: RegExp })[] = [
  { pattern: /flight/i, tone: "flights", Icon: IconPlane },
  { pattern: /hotel/i, tone: "hotels", Icon: IconBed },
  { pattern: /experience/i, tone: "experiences", Icon: IconSpark },
];

export const travel: View = {
  suits: ({ id, participants }) => id === "travel" || team.every((name) => participants.some((p) => p.name === name)),
  name: () => "Travel planner",
  noun: "plan",
  emptyList: "What you plan is kept here.",
  placeholder: "Where would you like to go?",
  welcome: () => ({
    title: "Where to next?",
    text: "A small team plans your trip with you: one finds flights, one finds a place to stay, one knows the city. They ask, you choose.",
  }),
  panel: { label: "Your trip", Panel: Itinerary },
  suggest: (state) => suggest(readTrip(state)),
  subject: (state) => {
    const { step, destination } = readTrip(state);
    return step !== "start" && destination ? `To ${destination}` : undefined;
  },
  sign: (speaker) => signs.find(({ pattern }) => pattern.test(speaker)),
};
