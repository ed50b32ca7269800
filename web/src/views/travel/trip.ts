// The travel team's shared state. Members that are missing or of another type count as not there.

import { Exact } from "client/form/exact";

export interface Flight {
  airline: string;
  departure?: string;
  arrival?: string;
  price?: string;
  duration?: string;
}

export interface Hotel {
  name: string;
  location?: string;
  pricePerNight?: string;
  rating?: string;
}

export interface Experience {
  name: string;
  kind: "restaurant" | "activity";
  description?: string;
  location?: string;
}

export interface Trip {
  origin?: string;
  destination?: string;
  flight?: Flight;
  hotel?: Hotel;
  experiences: Experience[];
  /** planning_step as it is: start, collecting_flights, booking_flight, …, complete. */
  step: string;
  complete: boolean;
}

type Bag = Record<string, unknown>;

const bag = (value: unknown): Bag => (typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Bag) : {});

const text = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : typeof value === "number" || value instanceof Exact ? String(value) : undefined;

export function readTrip(state: unknown): Trip {
  const s = bag(state);
  const booked = bag(s["itinerary"]);
  const step = text(s["planning_step"]) ?? "start";
  const trip: Trip = { experiences: [], step, complete: step === "complete" };
  set(trip, "origin", text(s["origin"]));
  set(trip, "destination", text(s["destination"]));
  set(trip, "flight", readFlight(booked["flight"]));
  set(trip, "hotel", readHotel(booked["hotel"]));
  if (Array.isArray(s["experiences"])) trip.experiences = s["experiences"].flatMap(readExperience);
  return trip;
}

function readFlight(value: unknown): Flight | undefined {
  const f = bag(value);
  const airline = text(f["airline"]);
  if (!airline) return undefined;
  const flight: Flight = { airline };
  for (const key of ["departure", "arrival", "price", "duration"] as const) set(flight, key, text(f[key]));
  return flight;
}

function readHotel(value: unknown): Hotel | undefined {
  const h = bag(value);
  const name = text(h["name"]);
  if (!name) return undefined;
  const hotel: Hotel = { name };
  set(hotel, "location", text(h["location"]));
  set(hotel, "pricePerNight", text(h["price_per_night"]));
  set(hotel, "rating", text(h["rating"]));
  return hotel;
}

function readExperience(value: unknown): Experience[] {
  const e = bag(value);
  const name = text(e["name"]);
  if (!name) return [];
  const experience: Experience = { name, kind: e["type"] === "restaurant" ? "restaurant" : "activity" };
  set(experience, "description", text(e["description"]));
  set(experience, "location", text(e["location"]));
  return [experience];
}

function set<T, K extends keyof T>(target: T, key: K, value: T[K] | undefined) {
  if (value !== undefined) target[key] = value;
}

export type StageName = "route" | "flight" | "hotel" | "experiences";

export interface Stage {
  name: StageName;
  label: string;
  status: "done" | "now" | "next";
  /** Booked items, and those in progress. */
  detail: string;
}

/** The progress of the plan. */
export function stages(trip: Trip): Stage[] {
  const begun = trip.step !== "start";
  const now: Record<string, StageName> = {
    collecting_flights: "flight",
    booking_flight: "flight",
    collecting_hotels: "hotel",
    booking_hotel: "hotel",
    curating_experiences: "experiences",
  };
  const doing = now[trip.step];
  const all: { name: StageName; label: string; done: boolean; settled: string; open: string }[] = [
    { name: "route", label: "Route", done: begun && !!trip.destination, settled: [trip.origin, trip.destination].filter(Boolean).join(" to "), open: "where to" },
    { name: "flight", label: "Flight", done: !!trip.flight, settled: trip.flight?.airline ?? "", open: "choosing a flight" },
    { name: "hotel", label: "Hotel", done: !!trip.hotel, settled: trip.hotel?.name ?? "", open: "choosing a hotel" },
    {
      name: "experiences",
      label: "Experiences",
      done: begun && doing !== "experiences" && trip.experiences.length > 0,
      settled: `${trip.experiences.length} picked`,
      open: "picking experiences",
    },
  ];
  return all.map(({ name, label, done, settled, open }) => {
    const status = done ? "done" : doing === name ? "now" : "next";
    return { name, label, status, detail: status === "done" ? settled : status === "now" ? open : "to come" };
  });
}
