// How the gateway's own page looks, in light and dark, on a desk and on a phone: pictures of each stage for people to look
// at, nothing that sticks out, and nothing that axe-core finds serious.

import assert from "node:assert/strict";
import { test } from "node:test";
import { issues } from "./lib/axe.mjs";
import { say } from "./lib/chat.mjs";
import { begin, openPlanner, pick, question, row, step, still, team, unasked } from "./lib/planner.mjs";
import { startGateway } from "./lib/servers.mjs";

const gateway = await startGateway();

const looks = {
  light: { colorScheme: "light" },
  dark: { colorScheme: "dark" },
  "light phone": { colorScheme: "light", viewport: { width: 390, height: 844 }, hasTouch: true },
  "dark phone": { colorScheme: "dark", viewport: { width: 390, height: 844 }, hasTouch: true },
};

/** Nothing is wider than the page: a phone would scroll sideways. */
const overflow = (page) => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

/** Takes pictures of a page: stage(name) takes one and judges; done() fails if any was judged bad. */
function camera(page, look) {
  const found = {};
  return {
    async stage(name, options) {
      await still(page, options);
      await page.shot(`page ${look} ${name}`);
      const wrong = await issues(page);
      if ((await overflow(page)) > 0) wrong.push("it scrolls sideways");
      if (wrong.length > 0) found[name] = wrong;
    },
    done: () => assert.deepEqual(found, {}),
  };
}

for (const [look, options] of Object.entries(looks)) {
  const phone = options.viewport !== undefined;

  test(`${look}: every stage of a plan`, async (t) => {
    const page = await openPlanner(t, gateway.url, { ...options, reducedMotion: "reduce" });
    const { stage, done } = camera(page, look);
    await page.getByTestId("welcome").waitFor();
    await stage("1 welcome");
    const id = await begin(page);
    await question(page, /flight/i).waitFor();
    await stage("2 flight");
    await pick(page, "KLM");
    await question(page, /hotel/i).waitFor();
    await stage("3 hotel");
    if (phone) {
      await page.getByTestId("pane-plan").click();
      await page.getByTestId("booked-flight").waitFor();
      await stage("4 half a plan");
      await page.getByTestId("pane-chat").click();
    }
    await page.getByTestId("inspector-open").click();
    await page.getByTestId("timeline-row").first().waitFor();
    await stage("5 inspector");
    if (phone) {
      for (const tab of ["state", "questions", "runs"]) {
        await page.getByTestId(`insp-tab-${tab}`).click();
        await stage(`6 inspector ${tab}`);
      }
    }
    await page.getByTestId("inspector-close").click();
    await pick(page, "Hotel Zoe");
    await unasked(page);
    await step(page, "complete");
    await stage("7 complete");
    if (phone) {
      await page.getByTestId("pane-plan").click();
      await page.getByTestId("booked-hotel").waitFor();
      await stage("8 plan");
      await page.getByTestId("threads-toggle").click();
      await row(page, id).waitFor();
      await stage("9 threads");
    }
    done();
  });
}

test("dark: what is seen less often", async (t) => {
  const away = await startGateway({ team });
  const page = await openPlanner(t, away.url, { ...looks.dark, reducedMotion: "reduce", place: "#/t/nobody/nothing" });
  const { stage, done } = camera(page, "dark");
  await page.getByTestId("no-agent").waitFor();
  await stage("a no agent");
  await page.getByTestId("no-agent").getByRole("button", { name: "order" }).click();
  await page.getByTestId("welcome").waitFor();
  await say(page, "A coat, please");
  await question(page, "Which size?").waitFor();
  await pick(page, "M");
  await stage("b several questions", { end: false }); // picking has scrolled
  page.allow(/Failed to load resource|net::ERR/); // requests of the time without a gateway
  await away.kill();
  await page.getByTestId("banner").waitFor();
  await stage("c away", { end: false });
  done();
});
