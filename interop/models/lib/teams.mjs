// The teams of examples/teams as they stand in the repository, with aimock for their model.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { fileURLToPath } from "node:url";
import { startGateway } from "../../lib/gateway.mjs";
import { counts, key, startMock } from "./mock.mjs";
import { keepsSecrets } from "./tab.mjs";

const folder = fileURLToPath(new URL("../../../examples/teams/", import.meta.url));

// They are told apart by what the teams tell them: what comes first in the list is looked at first.
const system = (systemMessage, response, match = {}) => ({ match: { systemMessage, ...match }, response: { usage: counts(8, 4), ...response } });
const choice = (next_speaker) => ({ content: { reason: "next", terminate: next_speaker === null, next_speaker, message: null, instruction: null } });
const rules = [
  system(["You lead a team", "Write down what is known"], {
    content: { facts: { given: ["A town"], to_look_up: [], to_derive: [], guesses: [] }, plan: ["analyst: count"] },
  }),
  system(["You lead a team", "Look at the conversation since"], {
    content: { satisfied: true, looping: false, advancing: true, next_speaker: "", instruction: "", reason: "known" },
  }),
  system(["You lead a team", "The work is done"], { content: "About three." }),
  system("You lead a conversation", choice(null), { userMessage: '"/draft" is now' }), // the state is told in the question
  system("You lead a conversation", choice("writer"), { userMessage: '"/notes" is now' }),
  system("You lead a conversation", choice("researcher")),
  system("List the five facts", { content: "The moon pulls." }),
  system("Write three paragraphs", { content: "Tides in brief." }, { userMessage: "Shorter" }),
  system("Write three paragraphs", { content: "Tides, at some length." }),
  system("Find out what the customer needs", { toolCalls: [{ name: "handoff_to_billing", arguments: {} }] }),
  system("You answer questions about invoices", { content: "You get 12 euros back." }),
  system("Explain what legal said", { content: "You may." }),
  system("You are a helpful assistant", { content: "Four." }),
  { match: { model: "gpt-4.1-mini" }, response: { content: "A voice made by a model." } },
];

/** Serves each team by a gateway of its own until the test file is over: {gateways, mock, folder}, the gateways by the teams' names. */
export async function serveTeams() {
  const mock = await startMock(rules);
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

  const names = ["assistant", "planner", "research-desk", "travel", "triage"];
  const gateways = Object.fromEntries(await Promise.all(names.map(async (name) => [name, await serve(`${name}/team.yaml`)])));
  const counsel = await serve("remote/specialist.yaml");
  gateways.remote = await serve("remote/team.yaml", { UPSTREAM_URL: `${counsel.url}/agents/counsel` });
  return { gateways, mock, folder };
}
