// How the gateway's own page looks, on a desk and on a phone, in light and dark: pictures of each stage for people to look at, nothing
// that sticks out, and nothing that axe-core finds serious.

import assert from "node:assert/strict";
import { test } from "node:test";
import { say } from "./lib/chat.mjs";
import { camera, eachLook } from "./lib/looks.mjs";
import { begin, closeInspector, openPlanner, pick, question, row, step, team, unasked } from "./lib/planner.mjs";
import { startGateway } from "./lib/servers.mjs";

const gateway = await startGateway();

eachLook("every stage of a plan", async (t, look) => {
  const page = await openPlanner(t, gateway.url, look.options);
  const { stage, done } = camera(page, look);
  await page.getByTestId("welcome").waitFor();
  await stage("1 welcome");
  const id = await begin(page);
  await question(page, /flight/i).waitFor();
  await stage("2 flight");
  await pick(page, "KLM");
  await question(page, /hotel/i).waitFor();
  await stage("3 hotel");
  if (look.phone) {
    await page.getByTestId("pane-plan").click();
    await page.getByTestId("booked-flight").waitFor();
    await stage("4 half a plan");
    await page.getByTestId("pane-chat").click();
  }
  await page.getByTestId("inspector-open").click();
  await page.getByTestId("insp-tab-events").click();
  await page.getByTestId("timeline-row").first().waitFor();
  await stage("5 inspector");
  await closeInspector(page);
  await pick(page, "Hotel Zoe");
  await unasked(page);
  await step(page, "complete");
  await stage("6 complete");
  if (look.phone) {
    await page.getByTestId("pane-plan").click();
    await page.getByTestId("booked-hotel").waitFor();
    await stage("7 plan");
    await page.getByTestId("threads-toggle").click();
    await row(page, id).waitFor();
    await stage("8 threads");
  }
  done();
});

test("dark: what is seen less often", async (t) => {
  const away = await startGateway({ team });
  const page = await openPlanner(t, away.url, { colorScheme: "dark", reducedMotion: "reduce", place: "#/t/nobody/nothing" });
  const { stage, done } = camera(page, { look: "dark" });
  const nobody = page.getByTestId("no-agent");
  await nobody.waitFor();
  const { x, width } = await nobody.boundingBox();
  assert.ok(Math.abs(x + width / 2 - 1440 / 2) < 2, "it stands in the middle");
  await stage("a no agent");
  await nobody.getByRole("button", { name: "order" }).click();
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
