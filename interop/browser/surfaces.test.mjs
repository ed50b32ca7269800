// CopilotKit's own renderer straight at the gateway: a surface is drawn, its button comes back to the agent, a reload shows it again.

import assert from "node:assert/strict";
import { test } from "node:test";
import { openPage } from "./lib/browser.mjs";
import { say } from "./lib/chat.mjs";
import { startDesigner } from "./lib/designer.mjs";
import { servePages, startGateway } from "./lib/servers.mjs";

const surface = {
  surfaceId: "card",
  components: [
    { id: "root", component: "Column", children: ["name", "book"] },
    { id: "name", component: "Text", text: { path: "/name" } },
    { id: "book", component: "Button", child: "label", action: { event: { name: "book", context: { hotel: { path: "/name" } } } } },
    { id: "label", component: "Text", text: "Book it" },
  ],
  data: { name: "The Ritz <img src=x onerror=alert(1)>" },
};

const { url, asked } = await startDesigner(surface);

const pages = await servePages();
const gateway = await startGateway({
  team: `version: 1
models: { default: { base_url: "${url}", api_key: none, model: m } }
agents: { designs: { type: llm, a2ui: on } }
`,
});

test("a surface is drawn, answers, and is there after a reload", async (t) => {
  const page = await openPage(t, `${pages}/?${new URLSearchParams({ way: "surfaces", url: `${gateway.url}/api/copilotkit`, thread: "hotels" })}`);
  await say(page, "Which hotel?");
  const card = page.locator('[data-surface-id="card"]');
  await card.getByText("The Ritz <img src=x onerror=alert(1)>").waitFor();
  assert.equal(await card.locator("img").count(), 0, "markup in a text is text");
  await page.getByText("There.", { exact: true }).waitFor();

  await card.getByRole("button", { name: "Book it" }).click();
  await page.getByText("It is booked.").waitFor();
  assert.match(asked.at(-1).content, /User performed action "book" on surface "card" \(component: book\)\. Context: \{"hotel":"The Ritz/);

  await page.reload();
  await card.getByText("The Ritz <img").waitFor();
  assert.equal(await card.count(), 1);
  await page.shot("surface");
});
