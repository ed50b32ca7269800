import { visible } from "./visible.ts";

/** "price_per_night" and "pricePerNight" as people write it. */
export function words(key: string): string {
  const spaced = key.replace(/[_-]+/g, " ").replace(/([a-z0-9])([A-Z])/g, "$1 $2").trim().toLowerCase();
  return visible(spaced.charAt(0).toUpperCase() + spaced.slice(1));
}
