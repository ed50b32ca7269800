// A page of CopilotKit's in Chromium, straight at the gateway: with the version of this folder, and with that of interop/browser.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";
import { openPage } from "../../browser/lib/browser.mjs";
import { busy, idle, say, shows, stop } from "../../browser/lib/chat.mjs";
import { startDesk, talk } from "../lib/desk.mjs";
import { servePage } from "../lib/page.mjs";
import { clientRow } from "../lib/table.mjs";

const desk = await startDesk();
const source = fileURLToPath(new URL("page.jsx", import.meta.url));
const versions = {
  1.61: await servePage(esbuild, source),
  1.74: await servePage(esbuild, source, fileURLToPath(new URL("../../browser", import.meta.url))),
};

for (const [version, pages] of Object.entries(versions)) {
  describe(version, () => {
    const row = clientRow(`CopilotKit ${version}`);

    async function open(t, fields) {
      const thread = randomUUID();
      const page = await openPage(t, `${pages}/?${new URLSearchParams({ url: desk.gateway.url, thread, ...fields })}`);
      /** Fails unless the page shows the messages with text as the gateway has them, each once. */
      const agrees = async () => {
        await idle(page);
        const { messages } = await desk.thread(thread);
        const texts = messages.filter(({ role, content }) => role !== "tool" && content);
        const onPage = await page.locator("[data-message-id]").evaluateAll((all) => all.map((element) => [element.dataset.messageId, element.innerText.trim()]));
        assert.deepEqual(onPage.filter(([id]) => texts.some((message) => message.id === id)), texts.map(({ id, content }) => [id, content]));
      };
      return Object.assign(page, { thread, agrees });
    }

    test(`${version}: text, tools, state and a question`, async (t) => {
      const page = await open(t);
      await say(page, talk.hello.ask);
      await shows(page, talk.hello.says[1]);
      await page.agrees();
      row.shows("text", "yes");

      await page.getByRole("button", { name: "Move" }).click();
      await say(page, talk.price.ask);
      await shows(page, talk.price.says[0]);
      await page.agrees();
      assert.deepEqual(await page.getByTestId("call").allInnerTexts(), [`price_of {"thing":"shirt"} ${JSON.stringify(talk.price.result)}`]);
      row.shows("tools", "yes");

      const state = { address: "Quay 1", shop: "Harbour" };
      assert.deepEqual(JSON.parse(await page.locator("output").innerText()), state);
      assert.deepEqual((await desk.thread(page.thread)).state, state);
      row.shows("state", "yes");

      await say(page, talk.where.ask);
      await shows(page, talk.where.says[0]);
      await page.agrees();
      row.shows("page's tools", "yes");

      await say(page, talk.order.ask);
      await page.getByText(talk.order.asks).waitFor();
      await page.reload();
      await page.getByText(talk.order.asks).waitFor();
      await page.getByRole("button", { name: "M", exact: true }).click();
      await shows(page, talk.order.says[0]);
      await page.agrees();
      assert.deepEqual((await desk.thread(page.thread)).state.order, { size: "M" });
      row.shows("question", "yes");
    });

    test(`${version}: reload and stop`, async (t) => {
      const page = await open(t);
      await say(page, talk.story.ask);
      await shows(page, talk.story.begins);
      await page.reload();
      await shows(page, talk.story.begins);
      await busy(page);
      row.shows("reload", "yes");
      await stop(page);
      const { status, runs } = await desk.ended(page.thread);
      assert.deepEqual([status, runs.map(({ status }) => status)], ["idle", ["cancelled"]]);
      await page.agrees();
      row.shows("stop", "yes");
    });

    test(`${version}: subagents`, async (t) => {
      const page = await open(t, version === "1.74" && { subagents: "on" });
      await say(page, talk.hello.ask);
      await shows(page, talk.hello.says[1]);
      await page.agrees();
      const sent = page.streams.some(({ text }) => text.includes("SUBAGENT_STARTED"));
      assert.equal(sent, version === "1.74");
      row.shows("subagents", sent ? "`X-Gateway-Subagents: on`" : "no");
    });
  });
}
