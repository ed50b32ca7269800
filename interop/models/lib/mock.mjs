// aimock as the model: an OpenAI-compatible server from npm that answers from fixtures.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { fileURLToPath } from "node:url";
import { startProgram } from "./program.mjs";

const program = fileURLToPath(new URL("../../node_modules/@copilotkit/aimock/dist/cli.js", import.meta.url));

/** The key that the mock takes. No log and no event may hold it. */
export const key = "sk-mock-5b1f0e7c9a";

/**
 * Starts aimock with its fixtures until the test file is over.
 *
 * Returns {origin, url, requests(model)}: url is the API's root; requests are the bodies of what a model was asked, in
 * order, with `status` and `at` (ms) beside.
 */
export async function startMock(fixtures) {
  const dir = mkdtempSync(join(tmpdir(), "agui-mock-"));
  after(() => rmSync(dir, { recursive: true }));
  writeFileSync(join(dir, "fixtures.json"), JSON.stringify({ fixtures }));
  const args = [program, "-p", "0", "-f", join(dir, "fixtures.json"), "--strict", "--journal-max", "0"];
  const { ready } = await startProgram(process.execPath, args, {
    ready: /listening on (http:\/\/[\d.]+:\d+)/,
    env: { AIMOCK_API_KEYS: key },
  });
  const origin = ready[1];
  const requests = async (model) => {
    const response = await fetch(`${origin}/v1/_requests`, { headers: { Authorization: `Bearer ${key}` } });
    const entries = await response.json();
    assert.equal(response.status, 200, JSON.stringify(entries));
    return entries
      .filter(({ body }) => model === undefined || body?.model === model)
      .map(({ body, timestamp, response: { status } }) => ({ ...body, at: timestamp, status }));
  };
  return { origin, url: `${origin}/v1`, requests };
}

/** A model's answer to a first request, and to the one that brings the results of its calls. */
export const turns = (model, calls, words, match = {}) => [
  { match: { model, hasToolResult: false, ...match }, response: calls },
  { match: { model, hasToolResult: true, ...match }, response: { content: words } },
];

/** Counts as a model's server reports them. */
export const counts = (prompt, completion) => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
});

/** The models of a team file that are all at url: {name: options}. */
export const modelsAt = (url, names, options = {}) =>
  Object.fromEntries(names.map((model) => [model, { base_url: url, api_key: key, provider: "aimock", model, retries: 0, ...options }]));

/** A team file. JSON is YAML. */
export const teamFile = (team) => JSON.stringify({ version: 1, ...team }, null, 1);
