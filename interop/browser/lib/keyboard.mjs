// A page without a mouse.

import assert from "node:assert/strict";

export const focused = (locator) => locator.evaluate((element) => element === document.activeElement);

/** Waits until an element has the focus. The page draws what a key has changed later, so the element is looked up each time. */
export const getsFocus = (page, locator) => locator.and(page.locator(":focus")).waitFor();

/** Presses Tab until the focus is on an element; fails if that is not to be reached. */
export async function tabTo(page, locator, { within = 40 } = {}) {
  await locator.waitFor();
  for (let i = 0; i < within; i++) {
    await page.keyboard.press("Tab");
    if (await focused(locator)) return;
  }
  assert.fail(`${within} times Tab do not lead to ${locator}`);
}
