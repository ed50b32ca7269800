// Sends each request of interop/copilotkit/exchanges.mjs to CopilotKit's own server and writes its answers to record.json there, or to
// the file that is named.

import { readFileSync, writeFileSync } from "node:fs";
import { answerOf } from "../copilotkit/answers.mjs";
import { exchanges } from "../copilotkit/exchanges.mjs";
import { startRuntime } from "./lib/reference.mjs";

const file = process.argv[2] ?? new URL("../copilotkit/record.json", import.meta.url);
const version = (name) => JSON.parse(readFileSync(new URL(`node_modules/${name}/package.json`, import.meta.url))).version;

// The server tells its console about every failure that it is asked for.
console.error = console.warn = () => {};

const reference = await startRuntime();
const answers = {};
for (const exchange of exchanges) {
  if (exchange.name in answers) throw new Error(`two rows are named ${exchange.name}`);
  answers[exchange.name] = await answerOf(reference, exchange);
}
reference.close();

const names = ["@copilotkit/runtime", "@ag-ui/client"];
const versions = Object.fromEntries(names.map((name) => [name, version(name)]));

// One line for each part of an answer: what a newer version changes is then read off a diff.
const lines = (value, depth) =>
  depth === 0
    ? JSON.stringify(value)
    : `{\n${Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}: ${lines(member, depth - 1)}`).join(",\n")}\n}`;
writeFileSync(file, `{\n"versions": ${JSON.stringify(versions)},\n"answers": ${lines(answers, 2)}\n}\n`);
console.log(`${exchanges.length} answers`);
