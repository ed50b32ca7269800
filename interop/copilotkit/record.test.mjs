// The gateway's answers, row by row, against what CopilotKit's own server was recorded to answer.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { startGateway } from "../lib/gateway.mjs";
import { teamFile } from "./agents.mjs";
import { answerOf } from "./answers.mjs";
import { differences } from "./differences.mjs";
import { exchanges } from "./exchanges.mjs";

const { answers } = JSON.parse(readFileSync(process.env.RECORD ?? new URL("record.json", import.meta.url), "utf8"));
const gateway = await startGateway({ team: teamFile });
const url = `${gateway.url}/api/copilotkit`;
const server = { url: { rest: url, single: url } };

test("the record and the table have the same rows", () => {
  assert.deepEqual(Object.keys(answers), exchanges.map(({ name }) => name));
});

const used = new Set();

for (const exchange of exchanges) {
  test(exchange.name, async () => {
    const answer = JSON.parse(JSON.stringify(await answerOf(server, exchange)));
    assert.deepEqual(answer, intended(exchange.name));
  });
}

test("every difference is one", () => {
  for (const difference of differences) assert.ok(used.has(difference), difference.why);
});

// What was recorded, with the differences that are meant. One can say that a row is answered like another.
function intended(name) {
  let answer = structuredClone(answers[name]);
  for (const difference of differences) {
    const { rows, like, change, why } = difference;
    if (!(typeof rows === "function" ? rows(answer) : rows.includes(name))) continue;
    const before = structuredClone(answer);
    if (like !== undefined) answer = intended(like);
    else change(answer, name);
    assert.notDeepEqual(answer, before, `this is no difference any more: ${why}`);
    used.add(difference);
  }
  return answer;
}
