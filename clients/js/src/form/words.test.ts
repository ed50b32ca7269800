import { expect, test } from "vitest";
import { words } from "./words.ts";

test("a key as people write it", () => {
  expect(["price_per_night", "pricePerNight", "name", "two-words"].map(words)).toEqual(["Price per night", "Price per night", "Name", "Two words"]);
});
