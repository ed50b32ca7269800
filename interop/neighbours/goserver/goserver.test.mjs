// An agent on the community Go SDK as a member of a team.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { startProgram } from "../../models/lib/program.mjs";
import { Tab } from "../../models/lib/tab.mjs";
import { row } from "../lib/table.mjs";
import { startKeeping, teamOf } from "../lib/team.mjs";

const seen = row("Go SDK of the community");
const dir = mkdtempSync(join(tmpdir(), "agui-goserver-"));
after(() => rmSync(dir, { recursive: true }));
execFileSync("go", ["build", "-o", join(dir, "goserver"), "."], { cwd: fileURLToPath(new URL(".", import.meta.url)) });
const { ready } = await startProgram(join(dir, "goserver"), [], { ready: /listening on (http:\S+)/ });
const gateway = await startKeeping(teamOf({ type: "agui", url: `${ready[1]}/` }));

test("its words, its call and its state", async () => {
  const tab = new Tab(gateway, "1.0.0", { agent: "team" });
  const stream = await tab.say("What is the weather?");
  assert.deepEqual(stream.texts, ["Blue skies."], stream.text);
  seen.shows("text", "yes");
  assert.deepEqual(stream.of("TOOL_CALL_RESULT").map(({ content }) => content), ["blue"]);
  seen.shows("tools", "yes");
  assert.deepEqual((await tab.agrees()).state, { helper: { city: "Paris", sky: "blue" } });
  seen.shows("state", "yes");
});

test("its question, over a restart of the gateway", async () => {
  const tab = new Tab(gateway, "1.0.0", { agent: "team" });
  await tab.say("Please paint");
  assert.deepEqual(tab.questions.map(({ message }) => message), ["Which colour?"]);
  await gateway.again();
  assert.deepEqual((await tab.answer("red")).texts, ["red resolved."]);
  await tab.agrees();
  seen.shows("question", "yes");
  seen.shows("restart", "yes");
});
