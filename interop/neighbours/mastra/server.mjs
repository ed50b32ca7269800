// Mastra's server with an agent named helper, and the endpoint of @ag-ui/mastra for it, at /chat; the same agent behind a bridge at
// /bridge. OPENAI_BASE_URL is where its model is.

import { createServer } from "node:http";
import { MastraAgent } from "@ag-ui/mastra";
import { registerCopilotKit } from "@ag-ui/mastra/copilotkit";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { getRequestListener } from "@hono/node-server";
import { Agent } from "@mastra/core/agent";
import { Mastra } from "@mastra/core/mastra";
import { InMemoryStore } from "@mastra/core/storage";
import { createTool } from "@mastra/core/tools";
import { MastraServer } from "@mastra/hono";
import { Memory } from "@mastra/memory";
import { Hono } from "hono";
import { z } from "zod";
import { bridge } from "./bridge.mjs";

const model = createOpenAICompatible({
  name: "mock",
  baseURL: process.env.OPENAI_BASE_URL,
  apiKey: process.env.OPENAI_API_KEY,
  includeUsage: true,
})("helper");

const weather = createTool({
  id: "weather",
  description: "Tells the weather of a city",
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => ({ city, sky: "blue" }),
});

const askColour = createTool({
  id: "askColour",
  description: "Asks the user for a colour",
  inputSchema: z.object({ of: z.string() }),
  suspendSchema: z.object({ question: z.string() }),
  resumeSchema: z.object({ colour: z.string() }),
  execute: async ({ of }, { agent }) =>
    agent.resumeData ? { of, colour: agent.resumeData.colour } : agent.suspend({ question: `Which colour for ${of}?` }),
});

const storage = new InMemoryStore();
const memory = new Memory({
  storage,
  options: { workingMemory: { enabled: true, scope: "thread", schema: z.object({ colour: z.string().optional() }) } },
});
const helper = new Agent({ id: "helper", name: "helper", instructions: "You help.", model, tools: { weather, askColour }, memory });
const mastra = new Mastra({
  agents: { helper },
  storage,
  logger: false,
  server: { apiRoutes: [registerCopilotKit({ path: "/chat", resourceId: "team" })] },
});
const app = new Hono();
await new MastraServer({ app, mastra }).init();
const routes = getRequestListener(app.fetch);
const bridged = bridge(() => new MastraAgent({ agent: helper, agentId: "helper", resourceId: "team" }));
const server = createServer((request, response) => (request.url === "/bridge" ? bridged : routes)(request, response));
server.listen(0, "127.0.0.1", () => console.log(`listening on http://127.0.0.1:${server.address().port}`));
