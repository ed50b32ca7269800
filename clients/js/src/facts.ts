// The name of an option of a question, and its facts in the order in which people look for them.

import { Exact, isContainer, sameNumber } from "./form/exact.ts";
import { words } from "./form/words.ts";

export interface Fact {
  label: string;
  value: string;
  kind: "price" | "time" | "rating" | "place" | "other";
}

export interface OptionFacts {
  title: string;
  facts: Fact[];
}

const TITLES = ["airline", "name", "title", "label", "value", "id"];

const KINDS: [RegExp, Fact["kind"]][] = [
  [/price|cost|fare|total|amount/i, "price"],
  [/rating|stars|score/i, "rating"],
  [/duration|time|date|nights|departs|arrives/i, "time"],
  [/location|departure|arrival|district|address|city|from|to$/i, "place"],
];

/** The facts of an option, whatever its shape. */
export function factsOf(option: unknown, index: number): OptionFacts {
  if (!isContainer(option)) return { title: String(option), facts: [] };
  const entries = Object.entries(option).filter(([, v]) => v instanceof Exact || ["string", "number", "boolean"].includes(typeof v));
  const titleKey = TITLES.find((key) => entries.some(([k]) => k === key));
  const title = entries.find(([k]) => k === titleKey);
  return {
    title: title ? String(title[1]) : `Option ${index + 1}`,
    facts: entries
      .filter(([key]) => key !== titleKey)
      .map(([key, value]) => ({ label: words(key), value: String(value), kind: KINDS.find(([p]) => p.test(key))?.[1] ?? "other" })),
  };
}

/** Whether two options are the same one: the recommendation is a copy of its option. */
export function same(a: unknown, b: unknown): boolean {
  if (sameNumber(a, b)) return true;
  if (!isContainer(a) || !isContainer(b)) return false;
  const [x, y] = [Object.entries(a), b];
  return x.length === Object.keys(y).length && x.every(([key, value]) => same(value, y[key]));
}
