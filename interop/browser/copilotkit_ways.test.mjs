// A CopilotKit page that reaches the gateway in every way there is: each plans the whole trip, and shows every message once. Two
// ways are tested on each push. The others differ from them in the transport, which dojo.test.mjs and legacy.test.mjs use too, or in
// CopilotKit's Node runtime, which copilotkit_plain.test.mjs uses.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, test } from "node:test";
import { openPage } from "./lib/browser.mjs";
import { agrees, busy, choose, idle, say, settled, shown, shows, stop, thread } from "./lib/chat.mjs";
import { isNightly, nightly } from "./lib/nightly.mjs";
import { servePages, startExample, startGateway } from "./lib/servers.mjs";
import { judgeFrames } from "../copilotkit/frames.mjs";
import { until } from "../lib/until.mjs";

const pages = await servePages();
const fast = await served();
// This one speaks so slowly that a test always stops it before its end.
const slow = await served("-voice-delay", "300ms");

/** Starts a gateway, and for nightly tests CopilotKit's Node runtime before it: {gateway, node}. */
async function served(...args) {
  const gateway = await startGateway({ args });
  if (!isNightly) return { gateway: gateway.url };
  const node = await startExample("copilotkit-node", ["npm", "start"], {
    env: { PORT: "0", AGENT_URL: `${gateway.url}/agents/travel?refusals=ask`, COPILOTKIT_TELEMETRY_DISABLED: "true" },
    ready: /^runtimeUrl: (http:\S+)\/api\/copilotkit /,
  });
  return { gateway: gateway.url, node };
}

/**
 * restores says whether a reload brings back what was said, and the question. A plain HttpAgent cannot: it has no request
 * that shows a thread, so the page begins empty while the gateway still holds the question.
 * whole says whether a stopped page has all that the gateway kept. When stopping is hanging up, words were on their way.
 * suite is nightly.describe for the ways that are tested every night only.
 */
const ways = {
  "straight, REST": { way: "runtime", at: ({ gateway }) => `${gateway}/api/copilotkit`, restores: true, whole: true, suite: describe },
  "straight, single route": { way: "single", at: ({ gateway }) => `${gateway}/api/copilotkit`, restores: true, whole: true, suite: nightly.describe },
  "Node runtime, REST": { way: "runtime", at: ({ node }) => `${node}/api/copilotkit`, restores: true, whole: true, suite: nightly.describe },
  "Node runtime, single route": { way: "single", at: ({ node }) => `${node}/api/copilotkit-single`, restores: true, whole: true, suite: nightly.describe },
  "HttpAgent in the browser": { way: "agent", at: ({ gateway }) => `${gateway}/agents/travel`, restores: false, whole: false, suite: describe },
};

test("the page of README.md plans a trip", async (t) => {
  const id = randomUUID();
  const url = `${fast.gateway}/api/copilotkit`;
  const page = await openPage(t, `${pages}/?${new URLSearchParams({ way: "readme", url, thread: id })}`);
  await say(page, "Plan my trip");
  await choose(page, "KLM");
  await choose(page, "Hotel Zoe");
  const { state } = await until("the whole plan", async () => {
    const found = await thread({ url: fast.gateway }, id);
    return found.status === "idle" && found;
  });
  assert.deepEqual([state.itinerary.flight.airline, state.itinerary.hotel.name], ["KLM", "Hotel Zoe"]);
});

for (const [name, { way, at, restores, whole, suite }] of Object.entries(ways)) {
  const open = (t, servers, id) => openPage(t, `${pages}/?${new URLSearchParams({ way, url: at(servers), thread: id })}`);

  suite(name, () => {
    test(`${name}: a trip`, async (t) => {
      const gateway = { url: fast.gateway };
      const id = randomUUID();
      const page = await open(t, fast, id);
      await say(page, "Plan my trip");
      await page.getByRole("button", { name: "KLM (recommended)" }).waitFor();
      if (restores) {
        await agrees(page, gateway, id);
        await page.reload();
      }
      await choose(page, "KLM");
      await page.getByRole("button", { name: "Hotel Zoe (recommended)" }).waitFor();
      await shows(page, "Flight: KLM");
      await agrees(page, gateway, id);
      await choose(page, "Hotel Zoe");
      await shows(page, "Step: complete");
      await shows(page, "Hotel: Hotel Zoe");
      const { status, state } = await agrees(page, gateway, id);
      assert.equal(status, "idle");
      assert.deepEqual([state.itinerary.flight.airline, state.itinerary.hotel.name], ["KLM", "Hotel Zoe"]);
      if (restores) {
        await page.reload();
        await shows(page, "Step: complete");
        await agrees(page, gateway, id);
      }
      await judgeFrames(page, { least: 3 });
    });

    if (restores) {
      // On each push copilotkit_tabs.test.mjs checks this over REST.
      nightly(`${name}: a tab that answers too late keeps its question`, async (t) => {
        const id = randomUUID();
        const [first, second] = [await open(t, fast, id), await open(t, fast, id)];
        await say(first, "Plan my trip");
        await first.getByRole("button", { name: "KLM (recommended)" }).waitFor();
        await second.reload();
        await second.getByRole("button", { name: "United" }).waitFor();
        await choose(first, "KLM");
        await first.getByRole("button", { name: "Hotel Zoe (recommended)" }).waitFor();
        await choose(second, "United");
        await second.getByRole("button", { name: "Hotel Zoe (recommended)" }).waitFor();
        await shows(second, "Flight: KLM");
        await second.reload();
        await second.getByRole("button", { name: "Hotel Zoe (recommended)" }).waitFor();
        await judgeFrames(second, { least: 2 });
      });
    }

    test(`${name}: stop`, async (t) => {
      const gateway = { url: slow.gateway };
      const id = randomUUID();
      const page = await open(t, slow, id);
      await say(page, "Tell me everything about San Francisco");
      await busy(page);
      await page.getByTestId("copilot-assistant-message").getByText(/\w+ \w+ \w+/).waitFor();
      await stop(page);
      await idle(page);
      if (whole) {
        await agrees(page, gateway, id);
        await page.reload();
        await page.getByTestId("copilot-assistant-message").waitFor();
        await agrees(page, gateway, id);
      } else {
        const [question, answer, ...more] = await shown(page);
        assert.deepEqual([question.role, answer.role, more], ["user", "assistant", []]);
      }
      const { status, runs } = await settled(gateway, id);
      assert.deepEqual([status, runs.map(({ status }) => status)], ["idle", ["cancelled"]]);
      await judgeFrames(page);
      if (!restores) return;
      await say(page, "Plan my trip");
      await page.getByRole("button", { name: "KLM (recommended)" }).waitFor();
      await agrees(page, gateway, id);
      await page.reload();
      await page.getByRole("button", { name: "KLM (recommended)" }).waitFor();
      await agrees(page, gateway, id);
    });
  });
}
