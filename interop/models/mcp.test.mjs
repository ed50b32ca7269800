// Tools of a real MCP server, which the gateway starts and speaks to over stdin, and reaches over HTTP.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { cancelled, versions } from "../lib/client.mjs";
import { startGateway } from "../lib/gateway.mjs";
import { command, startServer } from "./lib/mcp.mjs";
import { key, modelsAt, startMock, teamFile, turns } from "./lib/mock.mjs";
import { changed, keepsSecrets, Tab } from "./lib/tab.mjs";

const calls = (...toolCalls) => ({ toolCalls: toolCalls.map(([name, args]) => ({ name, arguments: args })) });
const mock = await startMock([
  ...turns("sums", calls(["web_get-sum", { a: 2, b: 3 }]), "Done."),
  ...turns("several", calls(["web_get-sum", { a: 2, b: 3 }], ["web_echo", { message: "hello" }], ["web_echo", { message: "again" }]), "Done."),
  ...turns("wrong", calls(["web_get-sum", { a: "two" }], ["web_echo", { message: "hello" }]), "Done."),
  ...turns("looks", calls(["web_get-tiny-image", {}]), "Done."),
  ...turns("asks", calls(["web_trigger-elicitation-request", {}]), "Done."),
  ...turns("peeps", calls(["web_get-env", {}]), "Done."),
]);

const http = await startServer();
const doomed = await startServer();

// What the gateway's environment holds is not for its servers.
process.env.AGUI_TEST_SECRET = key;

const models = ["sums", "several", "wrong", "looks", "asks", "peeps"];
const only = ["echo", "get-sum", "get-tiny-image"];
const llm = (model, server, more = {}) => ({ type: "llm", model, tools: [{ mcp: server, prefix: "web_", only }], ...more });
const gateway = await startGateway({
  team: teamFile({
    models: modelsAt(mock.url, models),
    mcp: {
      stdio: { command, env: { SHOP: "corner" } },
      http: { url: http.url, headers: { Authorization: `Bearer ${key}` } },
      doomed: { url: doomed.url },
    },
    agents: {
      ...Object.fromEntries(
        ["stdio", "http"].flatMap((server) => [
          [`sums-${server}`, llm("sums", server, { approve: "always" })],
          [`several-${server}`, llm("several", server, { approve: ["web_get-sum", "web_echo"] })],
          [`wrong-${server}`, llm("wrong", server)],
          [`looks-${server}`, llm("looks", server)],
          [`asks-${server}`, llm("asks", server, { tools: [{ mcp: server, prefix: "web_", only: ["trigger-elicitation-request"] }] })],
        ]),
      ),
      peeps: { type: "llm", model: "peeps", tools: [{ mcp: "stdio", prefix: "web_", only: ["get-env"] }] },
      doomed: llm("sums", "doomed"),
    },
  }),
});
after(() => keepsSecrets(gateway));

const results = (stream) => stream.of("TOOL_CALL_RESULT").map(({ content }) => content);
/** What the model was told of its calls. */
const told = async (model) => (await mock.requests(model)).at(-1).messages.filter(({ role }) => role === "tool").map(({ content }) => content);

for (const version of versions) {
  for (const server of ["stdio", "http"]) {
    describe(`${version}, ${server}`, () => {
      test("a tool is called with the arguments that a person edited", async () => {
        const tab = new Tab(gateway, version, { agent: `sums-${server}` });
        const first = await tab.say("Add them");
        const [call] = first.of("TOOL_CALL_START");
        assert.equal(call.toolCallName, "web_get-sum");
        assert.deepEqual(tab.questions.map(({ reason, toolCallId }) => [reason, toolCallId]), [["tool_call", call.toolCallId]]);
        const offered = (await mock.requests("sums")).at(-1).tools.map(({ function: tool }) => tool);
        // A result of a server may be longer than what the model is told of it: the agent's own tool reads the rest.
        assert.deepEqual(offered.map(({ name }) => name).toSorted(), ["read_result", ...only.map((name) => `web_${name}`)].toSorted());
        assert.deepEqual(offered.find(({ name }) => name === "web_get-sum").parameters.required, ["a", "b"]);
        await tab.agrees();

        const second = await tab.answer({ approved: true, editedArgs: { a: 20, b: 22 } });
        assert.deepEqual(results(second), ["The sum of 20 and 22 is 42."]);
        assert.deepEqual(second.texts, ["Done."]);
        assert.deepEqual(second.outcome, { type: "success" }, second.text);
        assert.deepEqual(await told("sums"), [changed + "The sum of 20 and 22 is 42."]);
        const { messages } = await tab.agrees();
        assert.deepEqual(JSON.parse(messages[1].toolCalls[0].function.arguments), { a: 2, b: 3 }, "what was proposed stays on record");
      });

      test("several approvals in one pause", async () => {
        const tab = new Tab(gateway, version, { agent: `several-${server}` });
        await tab.say("Do it all");
        assert.equal(tab.questions.length, 3);
        await tab.agrees();
        const stream = await tab.answer({ approved: true }, { approved: false }, { approved: true, editedArgs: { message: "farewell" } });
        assert.deepEqual(results(stream), ["The sum of 2 and 3 is 5.", "not approved", "Echo: farewell"]);
        assert.deepEqual(await told("several"), ["The sum of 2 and 3 is 5.", "not approved", changed + "Echo: farewell"]);
        await tab.agrees();
      });

      test("arguments that do not fit are the model's to mend, and stop nobody else", async () => {
        const tab = new Tab(gateway, version, { agent: `wrong-${server}` });
        const stream = await tab.say("Add them");
        const [sum, echo] = results(stream);
        assert.notEqual(sum, "");
        assert.doesNotMatch(sum, /The sum of/);
        assert.equal(echo, "Echo: hello");
        assert.deepEqual(stream.texts, ["Done."]);
        await tab.agrees();
      });

      test("a question of the server is a person's to answer", async () => {
        const tab = new Tab(gateway, version, { agent: `asks-${server}` });
        await tab.say("Ask me");
        const [question] = tab.questions;
        assert.equal(tab.questions.length, 1);
        assert.equal(question.message, "Please provide inputs for the following fields:");
        assert.equal(question.responseSchema.properties.name.type, "string");
        await tab.agrees();

        const stream = await tab.answer({ name: "Ann", check: true, integer: 7 });
        assert.deepEqual(stream.outcome, { type: "success" }, stream.text);
        assert.match(results(stream)[0], /User provided the requested information/);
        assert.match((await told("asks"))[0], /- Name: Ann/);
        await tab.agrees();
      });

      test("a question of the server that a person cancels", async () => {
        const tab = new Tab(gateway, version, { agent: `asks-${server}` });
        await tab.say("Ask me");
        const stream = await tab.run({ resume: tab.questions.map(({ id }) => cancelled(id)) });
        assert.match(results(stream)[0], /User cancelled/);
        await tab.agrees();
      });

      test("an image is shown to whom it can be shown", async () => {
        const tab = new Tab(gateway, version, { agent: `looks-${server}` });
        const stream = await tab.say("Show me");
        const [content] = results(stream);
        if (version === "1.0.0") {
          const [image] = content.filter(({ type }) => type === "image");
          assert.equal(image.source.mimeType, "image/png");
          await tab.agrees();
        } else {
          assert.match(content, /Here's the image you requested:/);
          assert.equal(tab.messages.find(({ role }) => role === "tool").content, content, "an older client takes text alone");
        }
        assert.match((await told("looks"))[0], /\[image, which the user sees\]/);
      });
    });
  }
}

test("a server that the gateway starts has the environment it was given, and nothing of the gateway's", async () => {
  const tab = new Tab(gateway, "1.0.0", { agent: "peeps" });
  const [content] = results(await tab.say("Look around")); // the tab looks for secrets
  const environment = JSON.parse(content);
  assert.equal(environment.SHOP, "corner");
  assert.equal(environment.AGUI_TEST_SECRET, undefined);
});

test("a server that is gone is the model's to deal with", async () => {
  const tab = new Tab(gateway, "1.0.0", { agent: "doomed" });
  assert.deepEqual(results(await tab.say("Add them")), ["The sum of 2 and 3 is 5."]);
  await doomed.stop();
  const stream = await tab.say("Add them again");
  assert.deepEqual(stream.outcome, { type: "success" }, stream.text);
  const [content] = results(stream);
  assert.match(content, /cannot be reached|was lost/);
  await tab.agrees();
});
