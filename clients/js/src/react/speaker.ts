import { words } from "../form/words.ts";

/** The name of an agent for people: "flights_agent" is "Flights". */
export function speakerName(name: string): string {
  const leaf = name.split(".").at(-1) ?? name;
  return words(leaf.replace(/_agent$/, "")) || name;
}
