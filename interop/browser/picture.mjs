// Makes docs/images/page.png, the picture of README.md, from the running product: npm run picture, after make build.
// It shows the demo's trip with a booked flight in the plan and an open question.

import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { begin, openPlanner, pick, question, still } from "./lib/planner.mjs";
import { startGateway } from "./lib/servers.mjs";

const path = fileURLToPath(new URL("../../docs/images/page.png", import.meta.url));
const gateway = await startGateway();

test("docs/images/page.png", async (t) => {
  const page = await openPlanner(t, gateway.url, {
    place: "#/t/travel",
    viewport: { width: 1280, height: 800 },
    colorScheme: "light",
    reducedMotion: "reduce",
    prepare(page) {
      page.setDefaultTimeout(600_000); // the machine may be busy
      page.setDefaultNavigationTimeout(600_000);
    },
  });
  await begin(page);
  await question(page, /flight/i).waitFor();
  await pick(page, "KLM");
  await question(page, /hotel/i).waitFor();
  await still(page);
  mkdirSync(dirname(path), { recursive: true });
  await page.screenshot({ path });
});
