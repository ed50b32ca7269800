// The teams of examples/teams as they stand in the repository, with aimock for their model.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after } from "node:test";
import { fileURLToPath } from "node:url";
import { startGateway } from "../../lib/gateway.mjs";
import { counts, key, startMock } from "./mock.mjs";
import { keepsSecrets } from "./tab.mjs";

const folder = fileURLToPath(new URL("../../../examples/teams/", import.meta.url));

// They are told apart by what the teams tell them: what comes first in the list is looked at first.
const system = (systemMessage, response, match = {}) => ({ match: { systemMessage, ...match }, response: { usage: counts(8, 4), ...response } });
const choice = (next_speaker) => ({ content: { reason: "next", terminate: next_speaker === null, next_speaker, message: null, instruction: null } });
const calls = (...all) => ({ toolCalls: all.map(([name, args]) => ({ name, arguments: args })) });
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
  system("Judge the idea by its costs", { content: "Mondays bring 8 percent of the sales. Four days save 12 percent of the costs." }),
  system("Judge the idea by contracts", { content: "The contracts name five days. A change needs a signature of each employee." }),
  system("Judge the idea as a customer", { content: "I buy bread every day. A closed door sends me elsewhere." }),
  system("You decide about an idea", { content: "Not yet. The contracts decide it: ask each employee for a signature, and try it in January." }),
  system("What is the last message of the customer about", { content: "billing" }),
  system("Explain bills", calls(["handoff_to_refunds", {}])),
  system("Pay back what the customer", { content: "You have 45 euros back for order 1042." }, { hasToolResult: true }),
  system("Pay back what the customer", calls(["refund", { order: "1042", euros: 45, cause: "It was charged twice." }])),
  system("You prepare parties", { content: "The boat is booked for 20 June. It costs 1200 euros." }, { toolResultContains: "is booked" }),
  system("You prepare parties", calls(["buyer", { query: "Book the boat for 20 June 2027, at most 1200 euros." }]), { toolResultContains: "1200 euros" }),
  system("You prepare parties", calls(["scout", { query: "Venues for 40 people, at most 1500 euros" }])),
  system("Compare the venues", { content: "The boat takes 60 people for 1200 euros. The old gym takes 100 for 400." }, { hasToolResult: true }),
  system("Compare the venues", calls(["find_venues", { people: 40 }])),
  system("Book with the tool book", { content: "The boat is booked for 2027-06-20." }, { hasToolResult: true }),
  system("Book with the tool book", calls(["book", { venue: "Boat on the river", day: "2027-06-20", euros: 1200 }])),
  system("Compare each claim", { content: "17 keeps to the rules.\n\n18 breaks a rule: 610 euros for nine people." }),
  system("Call pay for each claim", { content: "Claims 17 and 18 are paid." }, { hasToolResult: true }),
  system(
    "Call pay for each claim",
    calls(
      ["pay", { claim: "17", person: "Ada", euros: 84 }],
      ["pay_exception", { claim: "18", person: "Ben", euros: 610, broken_rule: "Meals: 40 euros for each person" }],
    ),
  ),
  system("You work with the files", { content: "The summary is in summary.txt." }, { toolResultContains: "summary.txt" }),
  system("You work with the files", calls(["write_file", { path: "summary.txt", content: "Tides: the moon pulls." }]), { toolResultContains: "moon" }),
  system("You work with the files", calls(["read_text_file", { path: "tides.txt" }]), { toolResultContains: "tides.txt" }),
  system("You work with the files", calls(["list_directory", { path: "." }])),
  { match: { model: "gpt-4.1-mini" }, response: { content: "A voice made by a model." } },
];

/** The teams with an MCP server that npx fetches. No test needs the network, so only their golden conversations are played. */
export const fetched = ["mcp"];

/**
 * Serves each team by a separate gateway until the test file is over: {gateways, mock, folder, serve}, the gateways by the teams' names.
 * serve(file, environment) returns the gateway of one more team file.
 */
export async function serveTeams() {
  const mock = await startMock(rules);
  const dir = mkdtempSync(join(tmpdir(), "agui-examples-"));
  after(() => rmSync(dir, { recursive: true }));

  /** The gateway of a team file, with what it takes from the environment. */
  async function serve(file, environment = {}) {
    const path = join(dir, `${file.replaceAll("/", "-")}.env`);
    const all = { OPENAI_BASE_URL: mock.url, OPENAI_API_KEY: key, ...environment };
    writeFileSync(path, Object.entries(all).map(([name, value]) => `${name}=${value}\n`).join(""));
    const gateway = await startGateway({ args: ["-config", resolve(folder, file), "-env-file", path] });
    after(() => keepsSecrets(gateway));
    return gateway;
  }

  const names = ["approvals", "assistant", "delegation", "panel", "planner", "research-desk", "support", "travel", "triage"];
  const gateways = Object.fromEntries(await Promise.all(names.map(async (name) => [name, await serve(`${name}/team.yaml`)])));
  const counsel = await serve("remote/specialist.yaml");
  gateways.remote = await serve("remote/team.yaml", { UPSTREAM_URL: `${counsel.url}/agents/counsel` });
  return { gateways, mock, folder, serve };
}
