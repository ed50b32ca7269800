// Pictures of a page for people to look at, and what axe-core has to say about it.

import assert from "node:assert/strict";
import { AxeBuilder } from "@axe-core/playwright";
import { still } from "./planner.mjs";

/**
 * The serious and critical issues of the page as it is now: "rule: selector". There are no exceptions: what CopilotKit's
 * stock chat is known for, this page does not have.
 */
async function issues(page) {
  const { violations, passes } = await new AxeBuilder({ page }).analyze();
  assert.ok(passes.length > 10, "axe-core has looked at the page");
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(" ")}`));
}

/** Nothing is wider than the page: a phone would scroll sideways. */
const overflow = (page) => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

/** Takes pictures of a page: stage(name) takes one and judges; done() fails if any was judged bad. */
export function camera(page, look) {
  const found = {};
  return {
    async stage(name, options) {
      await still(page, options);
      await page.shot(`page ${look} ${name}`);
      const wrong = await issues(page);
      if ((await overflow(page)) > 0) wrong.push("it scrolls sideways");
      if (wrong.length > 0) found[name] = wrong;
    },
    done: () => assert.deepEqual(found, {}),
  };
}
