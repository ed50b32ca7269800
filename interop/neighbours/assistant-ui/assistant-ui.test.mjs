// assistant-ui's AG-UI runtime in Chromium, with the client that it brings and with the current one.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";
import { openPage } from "../../browser/lib/browser.mjs";
import { until } from "../../lib/until.mjs";
import { startDesk, talk } from "../lib/desk.mjs";
import { servePage } from "../lib/page.mjs";
import { clientRow } from "../lib/table.mjs";

const desk = await startDesk();
const pages = await servePage(esbuild, fileURLToPath(new URL("page.jsx", import.meta.url)));

// The runtime makes one message of a run, and would show its later texts twice if a snapshot followed.
const url = `${desk.url}?snapshots=news`;

const open = (t, { client, thread = randomUUID(), known = "" }) =>
  openPage(t, `${pages}/?${new URLSearchParams({ url, client, thread, known })}`).then((page) => Object.assign(page, { thread }));

async function say(page, { ask }) {
  await page.getByLabel("Message").fill(ask);
  await page.getByRole("button", { name: "Send" }).click();
}
const shows = (page, text) => page.getByTestId("text").getByText(text, { exact: true }).waitFor();
const ready = (page) => page.getByText("Ready", { exact: true }).waitFor();
const texts = (page) => page.getByTestId("text").allInnerTexts();
const calls = (page) => page.getByTestId("call").allInnerTexts();

for (const client of ["0.0.57", "1.0.0"]) {
  describe(client, () => {
    const row = clientRow(`assistant-ui, react-ag-ui 0.0.54 with @ag-ui/client ${client}`);

    test(`${client}: text, tools and state`, async (t) => {
      const page = await open(t, { client });
      await say(page, talk.hello);
      await shows(page, talk.hello.says[1]);
      await ready(page);
      assert.deepEqual(await texts(page), [talk.hello.ask, ...talk.hello.says]);

      await page.getByRole("button", { name: "Move" }).click();
      await say(page, talk.price);
      await shows(page, talk.price.says[0]);
      await ready(page);
      assert.deepEqual(await texts(page), [talk.hello.ask, ...talk.hello.says, talk.price.ask, ...talk.price.says]);
      assert.deepEqual(await calls(page), [`price_of {"thing":"shirt"} ${JSON.stringify(talk.price.result)}`]);

      const state = { address: "Quay 1", shop: "Harbour" };
      assert.deepEqual(JSON.parse(await page.locator("output").innerText()), state);
      assert.deepEqual((await desk.thread(page.thread)).state, state);
      row.shows("text", "`?snapshots=news`");
      row.shows("tools", "`?snapshots=news`");
      row.shows("state", "yes");
    });

    test(`${client}: page's tools`, async (t) => {
      const page = await open(t, { client });
      await say(page, talk.where);
      if (client === "0.0.57") {
        await shows(page, talk.where.says[0]);
        assert.deepEqual((await texts(page)).slice(1), talk.where.says);
        row.shows("page's tools", "`?snapshots=news`");
      } else {
        await page.getByTestId("call").getByText("Paris").waitFor();
        await ready(page);
        assert.equal((await desk.thread(page.thread)).openCalls.length, 1, "the result is not sent");
        row.shows("page's tools", "no");
      }
    });

    test(`${client}: question`, async (t) => {
      const page = await open(t, { client });
      await say(page, talk.order);
      await page.getByText(talk.order.asks).waitFor();
      await page.getByRole("button", { name: "M", exact: true }).click();
      await shows(page, talk.order.says[0]);
      assert.deepEqual((await desk.thread(page.thread)).state.order, { size: "M" });
      row.shows("question", "yes");
    });

    test(`${client}: stop`, async (t) => {
      const page = await open(t, { client });
      await say(page, talk.story);
      await shows(page, talk.story.begins);
      await page.getByRole("button", { name: "Stop" }).click();
      const { status, runs } = await desk.ended(page.thread);
      assert.deepEqual([status, runs.map(({ status }) => status)], ["idle", ["cancelled"]]);
      row.shows("stop", "yes");
    });

    test(`${client}: reload`, async (t) => {
      const first = await open(t, { client });
      await say(first, talk.hello);
      await shows(first, talk.hello.says[1]);
      await ready(first);
      await say(first, talk.story);
      await shows(first, talk.story.begins);
      const { thread } = first;
      const second = await open(t, { client, thread, known: 1 });
      await shows(second, talk.story.begins);
      assert.deepEqual(await texts(second), [talk.hello.ask, ...talk.hello.says, talk.story.ask, talk.story.begins]);
      await second.getByRole("button", { name: "Stop" }).click();
      await fetch(`${desk.gateway.url}/threads/${thread}/stop`, { method: "POST" });
      await until("the end", async () => (await desk.thread(thread)).status !== "running");

      const asked = await open(t, { client });
      await say(asked, talk.order);
      await asked.getByText(talk.order.asks).waitFor();
      const again = await open(t, { client, thread: asked.thread, known: 1 });
      await again.getByText(talk.order.asks).waitFor();
      row.shows("reload", "by [page.jsx](../interop/neighbours/assistant-ui/page.jsx)");
    });

    test(`${client}: subagents`, async (t) => {
      const page = await open(t, { client });
      await say(page, talk.hello);
      await shows(page, talk.hello.says[1]);
      const sent = page.streams.some(({ text }) => text.includes("SUBAGENT_STARTED"));
      assert.equal(sent, client === "1.0.0");
      row.shows("subagents", "no"); // the runtime has nothing for them
    });
  });
}
