// Each block of README.md, docs/get-started.md and docs/coming-from/README.md, in the order of a reader, in a clone of the repository. A
// block without an entry here fails. The recipes of docs/coming-from are files that package teamtest plays.

import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { startGateway } from "../lib/gateway.mjs";
import { key, startMock } from "../models/lib/mock.mjs";
import { makeDirectory, openShell, root } from "./lib/commands.mjs";

const choice = (next_speaker) => ({ content: { reason: "next", terminate: false, next_speaker, message: null, instruction: null } });
const mock = await startMock([
  { match: { systemMessage: "You lead a conversation", sequenceIndex: 0 }, response: choice("researcher") },
  { match: { systemMessage: "You lead a conversation" }, response: choice("writer") },
  { match: { model: "gpt-4.1-mini" }, response: { content: "The moon pulls." } },
]);
const upstream = await startGateway();
const model = { OPENAI_BASE_URL: mock.url, OPENAI_API_KEY: key, UPSTREAM_URL: `${upstream.url}/agents/travel` };
const repository = { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: `url.file://${root}.insteadOf`, GIT_CONFIG_VALUE_0: "https://github.com/agui-gateway/gateway" };

// The ways of commands: what each has to print, its input and its exit code, 3 for an open question; or the id of an agent that it serves. The
// command in first runs before.
const commands = {
  "git clone https://github.com/agui-gateway/gateway && cd gateway": { prints: /Cloning/, env: repository },
  // CI builds the page in a clone too, so this one gets the built page.
  "make run": { first: `cp -a ${root}/web/dist web/ && touch web/dist/index.html.gz`, serves: "travel" },
  "make test": { as: "make --dry-run test", prints: /^bash \.ci\/run test$/m }, // CI runs its stages
  "bin/gateway chat -url http://127.0.0.1:8080 -agent travel -thread trip-1": { input: "KLM\n", code: 3, prints: /hotel/i },
  "bin/gateway chat -url http://127.0.0.1:8080 -agent travel": { input: "Plan my trip\n", code: 3, prints: /flight/i },
  'echo "Plan my trip" | bin/gateway chat -url http://127.0.0.1:8080 -agent travel -thread trip-3': { code: 3, prints: /flight/i },
  "bin/gateway validate -config team.yaml": { prints: /desk/, env: model },
  "bin/gateway doctor -config team.yaml": { prints: /0 wrong/, env: model },
  "bin/gateway graph -config team.yaml": { prints: /^flowchart TD/, env: model },
  "bin/gateway chat -config team.yaml": { input: "Why are there tides?\n", code: 3, prints: /The moon pulls\./, env: model },
  "bin/gateway -config team.yaml": { serves: "desk", env: model },
  "bin/gateway test examples/teams": { prints: /^ok .*trip_test\.yaml/m },
  ...Object.fromEntries(["support", "research", "panel", "travel", "mcp"].map((kind) => [`bin/gateway init ${kind}`, { prints: /^A team that .* is written:$/m }])),
  "bin/gateway test examples/coming-from": { prints: /^ok .*article_test\.yaml/m },
  "bin/gateway -config examples/coming-from/crewai-crew/team.yaml": { serves: "crew", env: model },
  "go run ./examples/coming-from/langgraph-functions": { prints: /\w/ },
};

// The scripts between fences, by their marks.
const scripts = { curl: /"type":"RUN_FINISHED".*int_/, answer: /"type":"RUN_FINISHED".*int_/ };

// The other blocks, by their language and mark, and the tests that play them.
const elsewhere = {
  "jsx copilotkit": "interop/browser/copilotkit_ways.test.mjs",
  "js node": "interop/e2e/readme.test.mjs",
  " events": "interop/e2e/readme.test.mjs",
  "mermaid graph": "cmd/gateway/graph_test.go",
  "go ": "interop/manual/module.test.mjs",
};

/** The blocks of a page: {language, mark, text} for those between fences, {command} for each indented line. */
function blocks(page) {
  const text = readFileSync(join(root, page), "utf8");
  const found = text.matchAll(/(?:^<!-- tested: (\w+) -->\n)?^```(\w*)\n([^]*?)^```$|^ {4}(\S.*)$/gm);
  return Array.from(found, ([, mark = "", language, inside, line]) =>
    line === undefined ? { mark, language, text: inside } : { command: line.replace(/\s{2,}#.*$/, "") });
}

/** Runs the blocks of a page, and returns how many there were. */
async function play(page, shell) {
  const list = blocks(page);
  for (const { command, mark, language, text } of list) {
    if (command !== undefined) {
      const way = commands[command];
      assert.ok(way, `${page}: nothing is known of the command ${command}`);
      if (way.first) await shell.run(way.first);
      if (way.serves) {
        await shell.serve(command, way);
        const { agents } = await (await fetch(`${shell.url}/agents`)).json();
        assert.ok(agents.some(({ id }) => id === way.serves), `${command} serves ${JSON.stringify(agents)}`);
      } else {
        assert.match(await shell.run(way.as ?? command, way), way.prints, command);
        if (command.endsWith("&& cd gateway")) shell.dir = join(shell.dir, "gateway");
      }
    } else if (language === "sh") {
      assert.ok(scripts[mark], `${page}: nothing is known of the script ${mark}`);
      assert.match(await shell.run(text), scripts[mark], text);
    } else if (language === "yaml") {
      writeFileSync(join(shell.dir, "team.yaml"), text);
    } else {
      assert.ok(elsewhere[`${language} ${mark}`], `${page}: nothing plays the block ${language} ${mark}`);
    }
  }
  await shell.stop();
  rmSync(join(shell.dir, "data"), { recursive: true, force: true });
  return list.length;
}

test("README.md, docs/get-started.md and docs/coming-from/README.md, from a clone on", async () => {
  const shell = await openShell({ dir: makeDirectory(), env: { NPM_CONFIG_PREFER_OFFLINE: "true", HISTFILE: "" } });
  const pages = { "README.md": 9, "docs/get-started.md": 16, "docs/coming-from/README.md": 3 };
  for (const [page, least] of Object.entries(pages)) {
    const played = await play(page, shell);
    assert.ok(played >= least, `${page} has ${played} blocks, want ${least} or more`);
  }
});
