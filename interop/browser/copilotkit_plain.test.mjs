// A plain HttpAgent behind CopilotKit's Node runtime, as it comes: a stop closes its connection in the middle of a message, and the
// runtime replays what it has read.

import { HttpAgent } from "@ag-ui/client";
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, test } from "node:test";
import { openPage } from "./lib/browser.mjs";
import { busy, idle, say, settled, shown, stop, thread } from "./lib/chat.mjs";
import { startRuntime } from "./lib/reference.mjs";
import { servePages, startGateway } from "./lib/servers.mjs";

const pages = await servePages();
const gateway = await startGateway({ args: ["-voice-delay", "300ms"] });
const runtime = await startRuntime({ travel: new HttpAgent({ url: `${gateway.url}/agents/travel?refusals=ask&chunks=on` }) });
after(runtime.close);

test("with chunks a stopped answer stays in its place, also after a reload", async (t) => {
  const id = randomUUID();
  const page = await openPage(t, `${pages}/?${new URLSearchParams({ way: "runtime", url: runtime.url.rest, thread: id })}`);
  await say(page, "Tell me everything about San Francisco");
  await busy(page);
  await page.getByTestId("copilot-assistant-message").getByText(/\w+ \w+ \w+/).waitFor();
  await stop(page);
  await idle(page);
  const { status, runs } = await settled(gateway, id);
  assert.deepEqual([status, runs.map(({ status }) => status)], ["idle", ["cancelled"]]);

  await say(page, "Plan my trip");
  await page.getByRole("button", { name: "KLM (recommended)" }).waitFor();
  await inOrder(page, id);
  await page.reload();
  await page.getByRole("button", { name: "KLM (recommended)" }).waitFor();
  await inOrder(page, id);
});

/** The page shows the thread's messages, each once and in its order. Of the stopped one the gateway may have said more than was read. */
async function inOrder(page, id) {
  await idle(page);
  const { messages } = await thread(gateway, id);
  const said = messages.filter(({ role, content }) => /user|assistant/.test(role) && content);
  assert.deepEqual((await shown(page)).map(({ id }) => id), said.map(({ id }) => id));
}
