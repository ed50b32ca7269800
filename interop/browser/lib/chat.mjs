// A page with CopilotKit's chat on it, as a person uses it, and what must be true of it.

import assert from "node:assert/strict";
import { until } from "../../lib/until.mjs";
import { ask } from "./servers.mjs";

const chat = (page) => page.getByTestId("copilot-chat-textarea");
const button = (page, name) => page.getByRole("button", { name, exact: false });

/** Types a message and sends it, when the page is ready to. */
export async function say(page, text) {
  await chat(page).fill(text);
  await page.locator('[data-testid="copilot-send-button"]:enabled').click();
}

/** Presses Stop. */
export const stop = (page) => page.locator('[data-testid="copilot-send-button"]:enabled').click();

/** Waits for the question with that option, and picks it. */
export const choose = (page, option) => button(page, option).click();

/** Waits until the page shows the line. */
export const shows = (page, line) => page.getByText(line, { exact: true }).waitFor();

/** Waits until nothing runs, as the page has it. */
export const idle = (page) => page.locator('[data-testid="copilot-chat"][data-copilot-running="false"]').waitFor();

/** Waits until something runs, as the page has it. */
export const busy = (page) => page.locator('[data-testid="copilot-chat"][data-copilot-running="true"]').waitFor();

/** The messages on the page: {id, role, text}. */
export const shown = (page) =>
  page.locator("[data-message-id]").evaluateAll((elements) =>
    elements.map((element) => ({
      id: element.dataset.messageId,
      role: /user/.test(element.dataset.testid) ? "user" : "assistant",
      text: element.innerText.trim(),
    })),
  );

/** GET /threads/{id} of the gateway, with its headers if it has any. */
export async function thread(gateway, id, agent = "travel") {
  const { status, text, body } = await ask(`${gateway.url}/threads/${id}?agent=${agent}`, gateway);
  assert.equal(status, 200, text);
  return body;
}

/** Waits until nothing runs, as the gateway has it: a stop that is a hang-up takes it two seconds. Returns the thread. */
export const settled = (gateway, id, agent) =>
  until(`the end of ${id}`, async () => {
    const found = await thread(gateway, id, agent);
    return found.status !== "running" && found;
  });

/**
 * Fails unless the page shows the thread's conversation, each message once and in its order; returns the thread.
 */
export async function agrees(page, gateway, id, agent) {
  await idle(page);
  const truth = await thread(gateway, id, agent);
  const said = truth.messages.filter(({ role, content }) => /user|assistant/.test(role) && content);
  const onPage = await shown(page);
  assert.deepEqual(onPage.map(({ id }) => id), said.map(({ id }) => id), JSON.stringify({ onPage, said }, undefined, 1));
  for (const [i, { text }] of onPage.entries()) assert.equal(plain(text), plain(said[i].content));
  return truth;
}

// What markdown makes of a text is not looked at.
const plain = (text) => text.replaceAll(/[\s*]+/g, " ").trim();
