// The gateway's own page when the gateway goes away under it: it says so, comes back by itself, and goes on with what the
// store has kept. A proxy stands between, so that the page finds the next gateway where the last one was.

import assert from "node:assert/strict";
import { test } from "node:test";
import { begun } from "./lib/begun.mjs";
import { agrees, say, settled } from "./lib/chat.mjs";
import { pushed } from "./lib/nightly.mjs";
import { agreesWhole, begin, openPlanner, option, pick, question, step, threadOf } from "./lib/planner.mjs";
import { startGateway, startRedis } from "./lib/servers.mjs";
import { gate, startTeller } from "./lib/teller.mjs";
import { startProxy } from "../lib/proxy.mjs";
import { until } from "../lib/until.mjs";

const store = await startRedis();
const lasting = ["-store", store.url];

const banner = (page) => page.getByTestId("banner");
const gone = (page) => banner(page).waitFor();
const back = (page) => banner(page).waitFor({ state: "detached" });

/** A proxy before a gateway of its own. */
async function proxied(t, options) {
  const proxy = await startProxy();
  proxy.gateway = await startGateway(options);
  t.after(() => proxy.gateway.stop()); // before the page is judged: what is judged bad leaves the hooks behind it undone
  return proxy;
}

/** A page with a plan, before a gateway of its own: {page, proxy, id, restart(how)}; restart takes the gateway away until the page has seen it. */
async function planned(t, args) {
  const proxy = await proxied(t, { args });
  const id = await begun(proxy.gateway, "travel", "Plan my trip");
  const page = await openPlanner(t, proxy.url, { place: `#/t/travel/${id}` });
  page.allow(/Failed to load resource|net::ERR/); // requests of the time without a gateway
  await question(page, /flight/i).waitFor();
  const restart = async (how) => {
    await proxy.gateway[how]();
    await gone(page);
    proxy.gateway = await startGateway({ args });
    await back(page);
  };
  return { page, proxy, id, restart };
}

for (const how of ["kill", "stop"]) {
  pushed(how === "kill")(`${how}, with a store that lasts: the plan is still there, and goes on`, async (t) => {
    const { page, proxy, id, restart } = await planned(t, lasting);
    await restart(how);
    await agreesWhole(page, proxy.gateway, id);
    await pick(page, "KLM");
    await question(page, /hotel/i).waitFor();
    await restart(how);
    await agreesWhole(page, proxy.gateway, id);
    await pick(page, "Hotel Zoe");
    await step(page, "complete");
    const { state, status } = await agreesWhole(page, proxy.gateway, id);
    assert.deepEqual([status, state.itinerary.flight.airline, state.itinerary.hotel.name], ["idle", "KLM", "Hotel Zoe"]);
  });

  pushed(how === "stop")(`${how}, with a store in memory: the page says that the plan is gone, and begins a new one`, async (t) => {
    const { page, proxy, id, restart } = await planned(t, []);
    await restart(how);
    await page.getByTestId("gone").waitFor();
    page.allow(/answer: 404 GET .*\/events/); // which is how it knows
    assert.equal(await option(page, "KLM").count(), 0, "there is nobody left to answer");
    await page.getByText("I found 2 flight options").waitFor();
    await page.getByRole("button", { name: "Start a new plan" }).click();
    await page.getByTestId("welcome").waitFor();
    const next = await begin(page);
    assert.notEqual(next, id);
    await pick(page, "KLM");
    await question(page, /hotel/i).waitFor();
    await agreesWhole(page, proxy.gateway, next);
  });
}

test("while the gateway is away nothing can be sent, and nothing that was written is lost", async (t) => {
  const { page, proxy, id } = await planned(t, lasting);
  await proxy.gateway.kill();
  await gone(page);
  assert.equal(await option(page, "KLM").isDisabled(), true);
  await say(page, "Is anybody there?");
  await page.getByTestId("notice").filter({ hasText: "Nothing can be sent just now" }).waitFor();
  assert.equal(await page.getByTestId("copilot-chat-textarea").inputValue(), "Is anybody there?");
  proxy.gateway = await startGateway({ args: lasting });
  await back(page);
  assert.equal(await page.getByTestId("copilot-chat-textarea").inputValue(), "Is anybody there?");
  await pick(page, "KLM");
  await question(page, /hotel/i).waitFor();
  await agreesWhole(page, proxy.gateway, id);
});

test("a connection that breaks in the middle of a run is picked up by itself", async (t) => {
  const held = gate();
  const messageId = crypto.randomUUID();
  const piece = (delta) => ({ type: "TEXT_MESSAGE_CONTENT", messageId, delta });
  const teller = await startTeller({
    "Tell me": [{ type: "TEXT_MESSAGE_START", messageId, role: "assistant" }, piece("Once upon a time"), held.wait, piece(" there was a king."), { type: "TEXT_MESSAGE_END", messageId }],
  });
  const proxy = await proxied(t, { team: `version: 1\nagents:\n  teller: { type: agui, url: "${teller}" }\n` });
  const page = await openPlanner(t, proxy.url, { place: "#/t/teller" });
  page.allow(/Failed to load resource|net::ERR/); // the requests that were cut
  page.allow(/Agent execution failed: TypeError: network error/); // CopilotKit logs the cut
  await page.getByTestId("welcome").waitFor();
  await say(page, "Tell me");
  await page.getByText("Once upon a time").last().waitFor();
  const id = await threadOf(page);
  const before = proxy.requests.length;
  proxy.hangUp();
  await until("the page to come back", () => proxy.requests.slice(before).some((request) => /^(GET [^ ]+\/events|POST [^ ]+\/connect)/.test(request)));
  held.open();
  await settled(proxy.gateway, id, "teller");
  await page.getByTestId("copilot-regenerate-button").waitFor();
  const { runs } = await agrees(page, proxy.gateway, id, "teller");
  assert.deepEqual(runs.map(({ status }) => status), ["success"]);
  assert.equal(await threadOf(page), id);
});

test("a mistake of the page's own is reported as one", async (t) => {
  const page = await openPlanner(t, (await startGateway()).url);
  await page.getByTestId("welcome").waitFor();
  await page.evaluate(() => void Promise.reject(new TypeError("nothing has no members")));
  page.allow(/exception: .*nothing has no members/);
});
