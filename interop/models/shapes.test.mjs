// Servers from before 1.0 as specialists, by their documented streams (lib/shapes.mjs): what comes out is valid for both
// clients, and their questions find their answers.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { ask, versions } from "../lib/client.mjs";
import { startGateway } from "../lib/gateway.mjs";
import { teamFile } from "./lib/mock.mjs";
import { agentFramework, copilotkit, langgraph, question, startShape } from "./lib/shapes.mjs";
import { keepsSecrets, Tab } from "./lib/tab.mjs";

const servers = {
  langgraph: await startShape(langgraph),
  framework: await startShape(agentFramework),
  copilotkit: await startShape(copilotkit),
};
const at = (name) => ({ type: "agui", url: servers[name].url, state: { path: `/${name}` } });
const team = (name) => ({
  type: "groupchat",
  manager: { type: "sequential" },
  participants: [
    { name, ...at(name) },
    { name: "clerk", type: "script", steps: [{ say: "Noted." }] },
  ],
});

const gateway = await startGateway({
  team: teamFile({
    agents: Object.fromEntries(Object.keys(servers).flatMap((name) => [[name, at(name)], [`${name}-team`, team(name)]])),
  }),
});
after(() => keepsSecrets(gateway));

for (const version of versions) {
  describe(version, () => {
    for (const suffix of ["", "-team"]) {
      const alone = suffix === "";
      const closing = alone ? [] : ["Noted."];

      test(`LangGraph's question is asked and answered in its dialect${suffix}`, async () => {
        const tab = new Tab(gateway, version, { agent: `langgraph${suffix}` });
        const first = await tab.say("Paris");
        assert.equal(first.outcome?.type, "interrupt", first.text);
        assert.deepEqual([...new Set(first.texts)], ["I found 2 flights for: Paris"], "the id it goes by in the end is told under the first");
        assert.deepEqual(first.of("REASONING_MESSAGE_CONTENT").map(({ delta }) => delta), ["Two of them fly."]);
        assert.doesNotMatch(first.text, /the-prompt-of-langgraph/, "a provider's own events stay here");
        assert.deepEqual(tab.questions.map(({ message, metadata }) => [message, metadata.value]), [[question.message, question]]);
        const asked = await tab.agrees();
        assert.deepEqual(asked.messages.filter(({ role }) => role === "assistant").length, 1, "said once, under whichever id");
        assert.deepEqual(asked.state, { langgraph: { planning: "flights", itinerary: null } });

        const second = await tab.answer({ airline: "United" });
        assert.deepEqual(second.outcome, { type: "success" }, second.text);
        assert.deepEqual(second.texts, ["Booked with United.", ...closing]);
        const { forwardedProps, resume, threadId } = servers.langgraph.requests.at(-1);
        assert.deepEqual(forwardedProps.command, { resume: { airline: "United" }, interruptEvent: JSON.stringify(question) });
        assert.deepEqual(resume ?? [], []);
        assert.equal(threadId, servers.langgraph.requests.at(-2).threadId);
        const { state } = await tab.agrees();
        assert.deepEqual(state, { langgraph: { planning: "complete", itinerary: { flight: { airline: "United" } } } });
      });

      test(`the Agent Framework's draft of a question${suffix}`, async () => {
        const tab = new Tab(gateway, version, { agent: `framework${suffix}` });
        const first = await tab.say("Cook");
        assert.equal(first.outcome?.type, "interrupt", first.text);
        assert.deepEqual(first.texts, ["How about soup?"]);
        assert.deepEqual(tab.questions.map(({ metadata }) => metadata.value.options), [["yes", "no"]]);
        assert.deepEqual(first.of("ACTIVITY_SNAPSHOT").at(-1).content, { executor: "cook", status: "waiting" });
        // A delta that fits no state changes none.
        assert.deepEqual((await tab.agrees()).state, { framework: { recipe: { title: "soup" } } });

        const second = await tab.answer("yes");
        assert.deepEqual(second.texts, ['You said "yes".', ...closing]);
        assert.deepEqual(servers.framework.requests.at(-1).resume, [{ interruptId: "request-1", status: "resolved", payload: "yes" }]);
        await tab.agrees();
      });

      test(`CopilotKit's chunks${suffix}`, async () => {
        const tab = new Tab(gateway, version, { agent: `copilotkit${suffix}` });
        const stream = await tab.say("Hello");
        assert.equal(stream.last.type, "RUN_FINISHED", stream.text);
        assert.deepEqual(stream.texts, ["In pieces.", "Done.", ...closing]);
        assert.deepEqual(stream.of("TOOL_CALL_RESULT").map(({ content }) => content), ["found"]);
        const { messages, state } = await tab.agrees();
        assert.deepEqual(state, { copilotkit: { seen: "Hello" } });
        assert.deepEqual(messages.flatMap(({ toolCalls }) => toolCalls ?? []).map(({ function: call }) => call), [{ name: "look_up", arguments: '{"a":1}' }]);
        // A second run uses the same ids over again: both stay.
        const again = await tab.say("Hello again");
        assert.deepEqual(again.texts, ["In pieces.", "Done.", ...closing]);
        const twice = await tab.agrees();
        assert.equal(twice.messages.filter(({ content }) => content === "In pieces.").length, 2);
      });

      test(`CopilotKit's replay, nothing but snapshots${suffix}`, async () => {
        const tab = new Tab(gateway, version, { agent: `copilotkit${suffix}` });
        const stream = await tab.say("Tell me briefly");
        assert.equal(stream.last.type, "RUN_FINISHED", stream.text);
        assert.deepEqual(stream.texts, ["All at once.", ...closing]);
        const { state } = await tab.agrees();
        assert.deepEqual(state, { copilotkit: { seen: "Tell me briefly" } });
      });
    }

    test("CopilotKit's runtime is stopped by its stop route", async () => {
      const tab = new Tab(gateway, version, { agent: "copilotkit" });
      const began = tab.until((text) => text.includes('"On"'));
      const run = tab.say("Go on for ever");
      await began;
      await ask(`${gateway.url}/threads/${tab.threadId}/stop`, { method: "POST" });
      await run;
      const { threadId } = servers.copilotkit.requests.at(-1);
      assert.equal(servers.copilotkit.stops.at(-1), `POST /api/copilotkit/agent/default/stop/${threadId}`);
      await tab.agrees();
    });
  });
}
