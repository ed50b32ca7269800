// A long answer on the gateway's own page: stopped, watched, and there after a reload.

import assert from "node:assert/strict";
import { test } from "node:test";
import { busy, idle, settled, stop } from "./lib/chat.mjs";
import { agreesWhole, begin, openPlanner } from "./lib/planner.mjs";
import { startGateway } from "./lib/servers.mjs";

// The first one speaks until somebody stops it, the second long enough to come in on.
const slow = await startGateway({ args: ["-voice-delay", "300ms"] });
const leisurely = await startGateway({ args: ["-voice-delay", "60ms"] });

const spoken = (page) => page.getByTestId("copilot-assistant-message").getByText(/\w+ \w+ \w+/).first().waitFor();

test("a long answer is stopped, and what was said of it is there after a reload", async (t) => {
  const page = await openPlanner(t, slow.url);
  const id = await begin(page, "Tell me about San Francisco");
  await spoken(page);
  await page.getByTestId("speaking").filter({ hasText: "is speaking" }).waitFor({ state: "attached" });
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await idle(page);
  const { runs, messages } = await settled(slow, id);
  assert.deepEqual(runs.map(({ status }) => status), ["cancelled"]);
  await agreesWhole(page, slow, id);
  await page.reload();
  await spoken(page);
  const after = await agreesWhole(page, slow, id);
  assert.deepEqual(after.messages, messages);
});

test("a reload in the middle of an answer joins it, and another tab stops it", async (t) => {
  const page = await openPlanner(t, slow.url);
  const id = await begin(page, "Tell me about San Francisco");
  await spoken(page);
  await page.reload();
  await busy(page);
  await spoken(page);
  const other = await openPlanner(t, slow.url, { context: page.context(), place: `#/t/travel/${id}` });
  await busy(other);
  await spoken(other);
  await stop(other);
  for (const each of [page, other]) await idle(each);
  const { runs } = await settled(slow, id);
  assert.deepEqual(runs.map(({ status }) => status), ["cancelled"]);
  for (const each of [page, other]) await agreesWhole(each, slow, id);
});

test("an answer that a tab comes in on is whole there in the end", async (t) => {
  const page = await openPlanner(t, leisurely.url);
  const id = await begin(page, "Tell me about San Francisco");
  await spoken(page);
  const other = await openPlanner(t, leisurely.url, { context: page.context(), place: `#/t/travel/${id}` });
  await spoken(other);
  await settled(leisurely, id);
  for (const each of [page, other]) await agreesWhole(each, leisurely, id);
});
