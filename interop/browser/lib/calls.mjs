// Cards that people decide about calls on, and what the conversation shows of the calls, on the gateway's own page.

import { say } from "./chat.mjs";

/**
 * Says something to an agent on a new thread, on a page that open(t, place) opens: the page, with its calls to be decided on, and the
 * thread's id as page.thread.
 */
export async function asked(t, open, words, agent = "desk") {
  const thread = crypto.randomUUID();
  const page = await open(t, `#/t/${agent}/${thread}`);
  page.allow(/404/); // nobody has begun the thread that this names
  await page.getByTestId("welcome").waitFor();
  await say(page, words);
  await page.getByTestId("approval").first().waitFor();
  return Object.assign(page, { thread });
}

export const card = (page, tool) => page.locator(`[data-testid="approval"][data-tool="${tool}"]`);

/** Presses a button of a card. */
export const press = (page, tool, what) => card(page, tool).getByTestId(what).click();

/** The newest call of a tool, as the conversation shows it. */
export const call = (page, tool) => page.locator(`[data-testid="tool-call"][data-name="${tool}"]`).last();

/** Waits until the newest call of a tool is in a state. */
export const became = (page, tool, state) => call(page, tool).and(page.locator(`[data-state="${state}"]`)).waitFor();

/** What the conversation says was decided about the newest call of a tool. */
export const decision = (page, tool) => call(page, tool).getByTestId("call-decision").innerText();

/** Waits for the end of the last turn. */
export const ended = (page) => page.getByText("That is that.", { exact: true }).last().waitFor();
