// What axe-core has to say about a page, but for what CopilotKit's own components are known for.

import { AxeBuilder } from "@axe-core/playwright";

/**
 * The issues of CopilotKit 1.74's stock chat, which are not ours to mend: "rule: selector". One that no longer happens
 * anywhere is to be taken off.
 */
const stock = [];

/** The serious and critical issues of the page as it is now: "rule: selector". */
export async function issues(page) {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(" ")}`))
    .filter((issue) => !stock.includes(issue));
}
