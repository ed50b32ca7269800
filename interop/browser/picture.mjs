// Makes the pictures of README.md and of examples/teams from the running product: npm run picture, after make build.
// The first one is the demo's trip with a booked flight in the plan and an open question. `npm run picture -- NAME …` makes those of
// these examples alone. npx fetches the MCP server of the example mcp, so that one needs the network.

import { copyFileSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { serveTeams } from "../models/lib/teams.mjs";
import { card, press } from "./lib/calls.mjs";
import { idle, say } from "./lib/chat.mjs";
import { begin, openPlanner, pick, question, still } from "./lib/planner.mjs";
import { startGateway } from "./lib/servers.mjs";

/** The greatest size of a picture in bytes. */
const limit = 150_000;

const root = fileURLToPath(new URL("../../", import.meta.url));
const { folder, gateways, serve } = await serveTeams();

/** The gateway of a copy of the example mcp, with a file beside it. */
async function startLibrary() {
  const copy = mkdtempSync(join(tmpdir(), "agui-library-"));
  after(() => rmSync(copy, { recursive: true }));
  writeFileSync(join(copy, "tides.txt"), "The moon pulls, and so does the sun.\n");
  copyFileSync(join(folder, "mcp/team.yaml"), join(copy, "team.yaml"));
  return serve(join(copy, "team.yaml"));
}

async function planTrip(page) {
  await begin(page);
  await question(page, /flight/i).waitFor();
  await pick(page, "KLM");
  await question(page, /hotel/i).waitFor();
}

/** Says something, and waits for what shows wants. */
const ask = (words, shows) => async (page) => {
  await say(page, words);
  await shows(page);
};
const text = (words) => (page) => page.getByText(words).last().waitFor();
const asks = (words) => (page) => question(page, words).waitFor();
const proposes = (tool) => (page) => card(page, tool).waitFor();

// The gateway of each picture, the agent, what is done before it is made, and its height, which is 800 without one.
const pictures = {
  "docs/images/page.png": [startGateway, "travel", planTrip],
  assistant: ["assistant", "assistant", ask("What is two and two?", text("Four."))],
  approvals: [
    "approvals",
    "claims",
    async (page) => {
      await ask("Claim 16: Dan, a taxi and a lunch", proposes("pay"))(page);
      await page.getByTestId("new-thread").click();
      await page.getByTestId("welcome").waitFor();
      await ask("Claim 17: Ada, train to Lyon, 84 euros. Claim 18: Ben, dinner for nine, 610 euros.", proposes("pay_exception"))(page);
    },
    1120,
  ],
  delegation: [
    "delegation",
    "organiser",
    async (page) => {
      await ask("Prepare our summer party: 40 people, 20 June, at most 1500 euros.", proposes("buyer"))(page);
      await press(page, "buyer", "approve");
      await proposes("book")(page);
    },
  ],
  mcp: [startLibrary, "librarian", ask("Summarise the files in summary.txt", proposes("write_file"))],
  panel: ["panel", "panel", ask("Should our bakery close on Mondays?", text("Not yet."))],
  planner: ["planner", "desk", ask("How many piano tuners are there?", asks("Shall we go about it like this?"))],
  remote: ["remote", "desk", ask("May I let my flat?", asks("In which country?"))],
  "research-desk": ["research-desk", "desk", ask("Write about the tides", asks("Is the draft all right?"))],
  support: ["support", "support", ask("I was charged twice for order 1042.", proposes("refund"))],
  travel: ["travel", "travel", planTrip],
  triage: ["triage", "support", ask("I was charged twice", text("You get 12 euros back."))],
};

const wanted = process.argv.slice(2);
for (const [name, [from, agent, act, height = 800]] of Object.entries(pictures)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const path = join(root, name.endsWith(".png") ? name : `examples/teams/${name}/page.png`);
  test(path, async (t) => {
    const gateway = typeof from === "string" ? gateways[from] : await from();
    const page = await openPlanner(t, gateway.url, {
      place: `#/t/${agent}`,
      viewport: { width: 1280, height },
      colorScheme: "light",
      reducedMotion: "reduce",
      prepare(page) {
        page.setDefaultTimeout(120_000); // the machine may be busy
        page.setDefaultNavigationTimeout(120_000);
      },
    });
    await act(page);
    await idle(page);
    await page.getByTestId("thread").first().waitFor();
    await still(page);
    mkdirSync(dirname(path), { recursive: true });
    await page.screenshot({ path });
    const { size } = statSync(path);
    t.assert.ok(size < limit, `${path} has ${size} bytes, not less than ${limit}`);
  });
}
