// The gateway's own page while one version takes the place of another behind a load balancer: its files may be asked for where they are not.

import assert from "node:assert/strict";
import { test } from "node:test";
import { openPlanner } from "./lib/planner.mjs";
import { startGateway } from "./lib/servers.mjs";

const gateway = await startGateway();

for (const [what, files] of [
  ["its script", "**/assets/index-*.js"],
  ["its styles", "**/assets/index-*.css"],
  ["a part that is loaded later", "**/assets/Chat-*.js"],
]) {
  test(`a page that does not find ${what} at the other version is loaded again until it does`, async (t) => {
    let missed = 0;
    const page = await openPlanner(t, gateway.url, {
      prepare: (page) => {
        page.allow(/404|preload|dynamically imported/i);
        return page.route(files, (route) => (missed++ < 2 ? route.fulfill({ status: 404, body: "not found" }) : route.continue()));
      },
    });
    await page.getByTestId("welcome").waitFor();
    assert.ok(missed > 2, "what was missing was asked for again");
    await page.waitForFunction(() => sessionStorage.getItem("loaded-again") === null);
  });
}
