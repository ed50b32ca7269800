import { expect, test } from "vitest";
import { withCount } from "./useTitleCount";

test("the window's title has the count of conversations that need an answer before it, once", () => {
  expect(withCount("Desk", 0)).toBe("Desk");
  expect(withCount("Desk", 2)).toBe("(2) Desk");
  expect(withCount("(2) Desk", 3)).toBe("(3) Desk");
  expect(withCount("(2) Desk", 0)).toBe("Desk");
  expect(withCount("(a) Desk", 1)).toBe("(1) (a) Desk");
});
