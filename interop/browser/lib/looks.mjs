// Pictures of a page for people to look at, and what axe-core has to say about it.

import assert from "node:assert/strict";
import { AxeBuilder } from "@axe-core/playwright";
import { still } from "./planner.mjs";

/**
 * The serious and critical issues of the page as it is now: "rule: selector", by all rules, or by those that are named. There
 * are no exceptions: what CopilotKit's stock chat is known for, this page does not have.
 */
async function issues(page, rules) {
  assert.equal(page.frames().length, 1, "axe-core is asked in a way that leaves out frames of others");
  const axe = new AxeBuilder({ page }).setLegacyMode(); // without it each look opens a page of its own, and takes three times as long
  const { violations, passes } = await (rules ? axe.withRules(rules) : axe).analyze();
  assert.ok(passes.length >= (rules?.length ?? 10), "axe-core has looked at the page");
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(" ")}`));
}

/** What can be wrong in dark alone. */
export const ofColours = { rules: ["color-contrast"] };

/** Nothing is wider than the page: a phone would scroll sideways. */
const overflow = (page) => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

/**
 * Takes pictures of a page: stage(name) takes one and judges; done() fails if any was judged bad. rules are those of axe-core's to
 * judge by where others have nothing to find: of a page that was judged in light, dark has its own colours and nothing else.
 */
export function camera(page, look, { rules } = {}) {
  const found = {};
  return {
    async stage(name, options) {
      await still(page, options);
      await page.shot(`page ${look} ${name}`);
      const wrong = await issues(page, rules);
      if ((await overflow(page)) > 0) wrong.push("it scrolls sideways");
      if (wrong.length > 0) found[name] = wrong;
    },
    done: () => assert.deepEqual(found, {}),
  };
}
