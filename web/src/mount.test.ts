import { expect, it } from "vitest";
import { rootOf } from "./mount";

it("finds the gateway beside the page, wherever a program has mounted both", () => {
  expect(["/", "/ai/", "/our/ai/", "/ai/index.html"].map(rootOf)).toEqual(["", "/ai", "/our/ai", "/ai"]);
});
