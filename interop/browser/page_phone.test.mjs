// How the gateway's own page looks on a phone, in light and dark.

import { test } from "node:test";
import { camera, ofColours } from "./lib/looks.mjs";
import { begin, closeInspector, openPlanner, option, pick, question, row, step, still, unasked } from "./lib/planner.mjs";
import { startGateway } from "./lib/servers.mjs";

const gateway = await startGateway();

for (const colorScheme of ["light", "dark"]) {
  test(`${colorScheme} phone: every stage of a plan`, async (t) => {
    const viewport = { width: 390, height: 844 };
    const page = await openPlanner(t, gateway.url, { colorScheme, viewport, hasTouch: true, reducedMotion: "reduce" });
    const { stage, done } = camera(page, `${colorScheme} phone`, colorScheme === "dark" ? ofColours : {});
    await page.getByTestId("welcome").waitFor();
    await stage("1 welcome");
    const id = await begin(page);
    await question(page, /flight/i).waitFor();
    await stage("2 flight");
    await pick(page, "KLM");
    await question(page, /hotel/i).waitFor();
    await stage("3 hotel");
    await page.getByTestId("pane-plan").click();
    await page.getByTestId("booked-flight").waitFor();
    await stage("4 half a plan");
    await page.getByTestId("pane-chat").click();
    await page.getByTestId("inspector-open").click();
    await page.getByTestId("insp-tab-events").click();
    await page.getByTestId("timeline-row").first().waitFor();
    await stage("5 inspector");
    for (const tab of ["state", "questions", "runs"]) {
      await page.getByTestId(`insp-tab-${tab}`).click();
      await stage(`6 inspector ${tab}`);
    }
    await closeInspector(page);
    await pick(page, "Hotel Zoe");
    await unasked(page);
    await step(page, "complete");
    await stage("7 complete");
    await page.getByTestId("pane-plan").click();
    await page.getByTestId("booked-hotel").waitFor();
    await stage("8 plan");
    await page.getByTestId("threads-toggle").click();
    await row(page, id).waitFor();
    await stage("9 threads");
    done();
  });
}

test("phone: who answers from far up the conversation sees what comes of it", async (t) => {
  const viewport = { width: 390, height: 844 };
  const page = await openPlanner(t, gateway.url, { viewport, hasTouch: true, reducedMotion: "reduce" });
  await begin(page);
  await pick(page, "KLM");
  await question(page, /hotel/i).waitFor();
  await still(page);
  await page.getByTestId("copilot-scroll-content").locator("xpath=ancestor::div[3]").evaluate((list) => list.scrollTo({ top: 0 }));
  await page.getByTestId("copilot-scroll-to-bottom").waitFor(); // the list does not follow its growth any more
  await option(page, "Hotel Zoe").evaluate((button) => button.click()); // as a screen reader does: without scrolling to it
  await unasked(page);
  await step(page, "complete");
  await still(page);
});
