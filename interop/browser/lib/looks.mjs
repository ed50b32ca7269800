// The looks of a page: what axe-core finds in it, what is too wide, and pictures for people to look at.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { isNightly, pushed } from "./nightly.mjs";
import { still } from "./planner.mjs";

const phone = { viewport: { width: 360, height: 740 }, hasTouch: true };
const looks = {
  light: { colorScheme: "light" },
  "dark phone": { colorScheme: "dark", ...phone },
  dark: { colorScheme: "dark" },
  "light phone": { colorScheme: "light", ...phone },
};

/**
 * Registers a test for each look: light on a desk and dark on a phone on each push, the other two nightly. fn is called with the
 * test's context and the look: its name, its options for a page, and whether it is a phone.
 */
export function eachLook(name, fn) {
  for (const [look, options] of Object.entries(looks)) {
    const often = look === "light" || look === "dark phone";
    pushed(often)(`${look}: ${name}`, (t) => fn(t, { look, options: { ...options, reducedMotion: "reduce" }, phone: look.endsWith("phone") }));
  }
}

let axe;

/**
 * The serious and critical issues of the page as it is now: "rule: selector". There are no exceptions: what CopilotKit's stock chat
 * is known for, this page does not have.
 */
async function issues(page) {
  assert.equal(page.frames().length, 1, "axe-core looks at one frame");
  axe ??= readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(await axe);
  const { violations, passes } = await page.evaluate(async () => {
    const { violations, passes } = await window.axe.run(document, { resultTypes: ["violations"] });
    return { violations, passes: passes.length };
  });
  assert.ok(passes >= 10, "axe-core has looked at the page");
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(" ")}`));
}

/** Nothing is wider than the page: a phone would scroll sideways. */
const overflow = (page) => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

/**
 * Judges stages of a page: stage(name) looks at one, and done() fails if any was bad. There are pictures of all stages nightly, and
 * of bad ones always.
 */
export function camera(page, title) {
  const found = {};
  return {
    async stage(name, options) {
      await still(page, options);
      const wrong = await issues(page);
      if ((await overflow(page)) > 0) wrong.push("it scrolls sideways");
      if (wrong.length > 0) found[name] = wrong;
      if (isNightly || wrong.length > 0) await page.shot(`page ${title} ${name}`);
    },
    done: () => assert.deepEqual(found, {}),
  };
}
