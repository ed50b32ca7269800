// Every team of examples/teams as it stands in the repository, with aimock for its model, once with each client.

import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { versions } from "../lib/client.mjs";
import { startGateway } from "../lib/gateway.mjs";
import { counts, key, startMock } from "./lib/mock.mjs";
import { keepsSecrets, Tab } from "./lib/tab.mjs";

const folder = fileURLToPath(new URL("../../examples/teams/", import.meta.url));

// They are told apart by what the teams tell them: what comes first in the list is looked at first.
const system = (systemMessage, response, match = {}) => ({ match: { systemMessage, ...match }, response: { usage: counts(8, 4), ...response } });
const choice = (next_speaker) => ({ content: { reason: "next", terminate: next_speaker === null, next_speaker, message: null, instruction: null } });
const mock = await startMock([
  system(["You lead a conversation", '"/draft" is now'], choice(null)),
  system(["You lead a conversation", '"/notes" is now'], choice("writer")),
  system("You lead a conversation", choice("researcher")),
  system("List the five facts", { content: "The moon pulls." }),
  system("Write three paragraphs", { content: "Tides in brief." }, { userMessage: "Shorter" }),
  system("Write three paragraphs", { content: "Tides, at some length." }),
  system("Find out what the customer needs", { toolCalls: [{ name: "handoff_to_billing", arguments: {} }] }),
  system("You answer questions about invoices", { content: "You get 12 euros back." }),
  system("Explain what legal said", { content: "You may." }),
  system("You are a helpful assistant", { content: "Four." }),
  { match: { model: "gpt-4.1-mini" }, response: { content: "A voice made by a model." } },
]);

const dir = mkdtempSync(join(tmpdir(), "agui-examples-"));
after(() => rmSync(dir, { recursive: true }));

/** The gateway of a team file, with what it takes from the environment. */
async function serve(file, environment = {}) {
  const path = join(dir, `${file.replaceAll("/", "-")}.env`);
  const all = { OPENAI_BASE_URL: mock.url, OPENAI_API_KEY: key, ...environment };
  writeFileSync(path, Object.entries(all).map(([name, value]) => `${name}=${value}\n`).join(""));
  const gateway = await startGateway({ args: ["-config", join(folder, file), "-env-file", path] });
  after(() => keepsSecrets(gateway));
  return gateway;
}

const gateways = Object.fromEntries(
  await Promise.all(["assistant", "research-desk", "travel", "triage"].map(async (name) => [name, await serve(`${name}/team.yaml`)])),
);
const counsel = await serve("remote/specialist.yaml");
gateways.remote = await serve("remote/team.yaml", { UPSTREAM_URL: `${counsel.url}/agents/counsel` });

test("every example is tried", () => {
  const teams = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory()).map(({ name }) => name);
  assert.deepEqual(Object.keys(gateways).toSorted(), teams.toSorted());
});

for (const version of versions) {
  describe(version, () => {
    const enter = (example, agent) => new Tab(gateways[example], version, { agent });

    test("assistant", async () => {
      const tab = enter("assistant", "assistant");
      const stream = await tab.say("What is two and two?");
      assert.deepEqual(stream.texts, ["Four."]);
      assert.equal(stream.last.usage[0].totalTokens, 12);
      await tab.agrees();
    });

    test("research-desk", async () => {
      const tab = enter("research-desk", "desk");
      const first = await tab.say("Write about the tides");
      assert.deepEqual(first.texts, ["The moon pulls.", "Tides, at some length."]);
      assert.match(tab.questions[0].message, /Is the draft all right\?/);
      const second = await tab.answer("Shorter, please");
      assert.deepEqual(second.texts, ["Tides in brief."]);
      const third = await tab.answer("");
      assert.deepEqual(third.outcome, { type: "success" }, third.text);
      assert.deepEqual((await tab.agrees()).state, { notes: "The moon pulls.", draft: "Tides in brief." });
    });

    test("triage", async () => {
      const tab = enter("triage", "support");
      const first = await tab.say("I was charged twice");
      assert.deepEqual(first.texts, ["You get 12 euros back."]);
      assert.deepEqual(first.of("SUBAGENT_STARTED").map(({ name }) => name), ["triage", "billing"]);
      const second = await tab.say("When?");
      assert.deepEqual(second.of("SUBAGENT_STARTED").map(({ name }) => name), ["billing"], "who spoke last goes on");
      await tab.agrees();
    });

    test("travel: the model speaks, the server books", async () => {
      const tab = enter("travel", "travel");
      const first = await tab.say("Plan my trip");
      assert.ok(first.texts.includes("A voice made by a model."), first.text);
      await tab.answer({ airline: "KLM", price: "$1" });
      const last = await tab.answer({ name: "Hotel Zoe" });
      assert.deepEqual(last.outcome, { type: "success" }, last.text);
      const { state } = await tab.agrees();
      assert.deepEqual([state.itinerary.flight.price, state.itinerary.hotel.name, state.planning_step], ["$650", "Hotel Zoe", "complete"]);
    });

    test("remote", async () => {
      const tab = enter("remote", "desk");
      await tab.say("May I do that?");
      assert.deepEqual(tab.questions.map(({ message }) => message), ["In which country?"]);
      const stream = await tab.answer({ value: "Japan" });
      assert.deepEqual(stream.outcome, { type: "success" }, stream.text);
      assert.deepEqual(stream.texts, ["In Japan that is allowed, in writing.", "You may."]);
      const { state } = await tab.agrees();
      assert.deepEqual(state, { counsel: { country: "Japan" }, opinion: "In Japan that is allowed, in writing.", answer: "You may." });
    });
  });
}
