// The looks of a page: what axe-core finds in it, what is too wide, and pictures for people to look at.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { test } from "node:test";
import { isNightly, nightly, pushed } from "./nightly.mjs";
import { still } from "./planner.mjs";

const phone = { width: 360, height: 740 };
const looks = {
  light: { colorScheme: "light" },
  dark: { colorScheme: "dark" },
  "light phone": { colorScheme: "light", viewport: phone, hasTouch: true },
  "dark phone": { colorScheme: "dark", viewport: phone, hasTouch: true },
};

/**
 * Registers a test for each look: light on a desk and dark on a phone on each push, the other two nightly. fn is called with the
 * test's context and the look: its name, its options for a page, and whether it is a phone. It is for tests that do different things
 * on a phone.
 */
export function eachLook(name, fn) {
  for (const look of Object.keys(looks)) register(pushed(look === "light" || look === "dark phone"), look, name, fn);
}

/**
 * Registers one test on each push. Its page is light on a desk, and each stage is judged a second time dark on a phone. Nightly there is
 * a test for each look, as with eachLook.
 */
export function looksTogether(name, fn) {
  const { colorScheme, viewport } = looks["dark phone"];
  test(`light, and dark on a phone: ${name}`, (t) => fn(t, { ...lookOf("light"), also: { name: "dark phone", colorScheme, viewport } }));
  for (const look of Object.keys(looks)) register(nightly, look, name, fn);
}

const register = (test, look, name, fn) => test(`${look}: ${name}`, (t) => fn(t, lookOf(look)));

const lookOf = (look) => ({ look, options: { ...looks[look], reducedMotion: "reduce" }, phone: look.endsWith("phone") });

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
 * Judges stages of a page in a look: stage(name) looks at one, and done() fails if any was bad. There are pictures of all stages
 * nightly, and of bad ones always; their names begin with the look and title.
 */
export function camera(page, { look, also }, title = "") {
  const found = {};
  const judge = async (look, name, options) => {
    await still(page, options);
    const wrong = await issues(page);
    if ((await overflow(page)) > 0) wrong.push("it scrolls sideways");
    if (wrong.length > 0) found[`${look} ${name}`] = wrong;
    if (isNightly || wrong.length > 0) await page.shot(`page ${look} ${title} ${name}`);
  };
  return {
    async stage(name, options) {
      await judge(look, name, options);
      if (!also) return;
      const viewport = page.viewportSize();
      await page.emulateMedia({ colorScheme: also.colorScheme });
      await page.setViewportSize(also.viewport);
      await judge(also.name, name, options);
      await page.emulateMedia({ colorScheme: "light" });
      await page.setViewportSize(viewport);
      await still(page, options);
    },
    done: () => assert.deepEqual(found, {}),
  };
}
