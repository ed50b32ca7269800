// The gateway's own page when the gateway goes away under it: it says so, comes back by itself, and goes on with what the
// store has kept. A proxy stands between, so that the page finds the next gateway where the last one was.

import assert from "node:assert/strict";
import { test } from "node:test";
import { say, settled } from "./lib/chat.mjs";
import { agreesWhole, begin, finish, openPlanner, option, pick, question, step, threadOf } from "./lib/planner.mjs";
import { startGateway, startRedis } from "./lib/servers.mjs";
import { startProxy } from "../lib/proxy.mjs";

const store = await startRedis();

const banner = (page) => page.getByTestId("banner");
const gone = (page) => banner(page).waitFor();
const back = (page) => banner(page).waitFor({ state: "detached" });

/** A page before a gateway of its own: {page, proxy, restart(how)}; restart takes the gateway away until the page has seen it. */
async function before(t, args) {
  const proxy = await startProxy();
  proxy.gateway = await startGateway({ args });
  t.after(() => proxy.gateway.stop()); // before the page is judged: what is judged bad leaves the hooks behind it undone
  const page = await openPlanner(t, proxy.url);
  page.allow(/Failed to load resource|net::ERR/); // requests of the time without a gateway
  const restart = async (how) => {
    await proxy.gateway[how]();
    await gone(page);
    proxy.gateway = await startGateway({ args });
    await back(page);
  };
  return { page, proxy, restart };
}

for (const how of ["stop", "kill"]) {
  test(`${how}, with a store that lasts: the plan is still there, and goes on`, async (t) => {
    const { page, proxy, restart } = await before(t, ["-store", store.url]);
    const id = await begin(page);
    await question(page, /flight/i).waitFor();
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

  test(`${how}, with a store in memory: the page says that the plan is gone, and begins a new one`, async (t) => {
    const { page, proxy, restart } = await before(t, []);
    const id = await begin(page);
    await pick(page, "KLM");
    await question(page, /hotel/i).waitFor();
    await restart(how);
    await page.getByTestId("gone").waitFor();
    page.allow(/answer: 404 GET .*\/events/); // which is how it knows
    assert.equal(await option(page, "Hotel Zoe").count(), 0, "there is nobody left to answer");
    await page.getByText("I found 2 flight options").waitFor();
    await page.getByRole("button", { name: "Start a new plan" }).click();
    await page.getByTestId("welcome").waitFor();
    const next = await begin(page);
    assert.notEqual(next, id);
    await finish(page);
    await agreesWhole(page, proxy.gateway, next);
  });
}

test("while the gateway is away nothing can be sent, and nothing that was written is lost", async (t) => {
  const { page, proxy } = await before(t, ["-store", store.url]);
  const id = await begin(page);
  await question(page, /flight/i).waitFor();
  await proxy.gateway.kill();
  await gone(page);
  assert.equal(await option(page, "KLM").isDisabled(), true);
  await say(page, "Is anybody there?");
  await page.getByTestId("notice").filter({ hasText: "Nothing can be sent just now" }).waitFor();
  assert.equal(await page.getByTestId("copilot-chat-textarea").inputValue(), "Is anybody there?");
  proxy.gateway = await startGateway({ args: ["-store", store.url] });
  await back(page);
  assert.equal(await page.getByTestId("copilot-chat-textarea").inputValue(), "Is anybody there?");
  await finish(page);
  await agreesWhole(page, proxy.gateway, id);
});

test("a connection that breaks in the middle of a run is picked up by itself", async (t) => {
  const { page, proxy } = await before(t, ["-voice-delay", "60ms"]);
  page.allow(/Agent execution failed: TypeError: network error/); // CopilotKit logs the cut
  const id = await begin(page, "Tell me about San Francisco");
  await page.getByTestId("copilot-assistant-message").getByText(/\w+ \w+ \w+/).first().waitFor();
  proxy.hangUp();
  await settled(proxy.gateway, id);
  await page.getByTestId("copilot-regenerate-button").waitFor();
  const { runs } = await agreesWhole(page, proxy.gateway, id);
  assert.deepEqual(runs.map(({ status }) => status), ["success"]);
  assert.equal(await threadOf(page), id);
});

test("a mistake of the page's own is reported as one", async (t) => {
  const page = await openPlanner(t, (await startGateway()).url);
  await page.getByTestId("welcome").waitFor();
  await page.evaluate(() => void Promise.reject(new TypeError("nothing has no members")));
  page.allow(/exception: .*nothing has no members/);
});
