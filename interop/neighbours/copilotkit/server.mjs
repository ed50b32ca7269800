// CopilotKit's runtime with a BuiltInAgent named helper, twice: at /api/copilotkit with a route for each agent, at /single with one
// route for all. The model is OpenAI's as far as the agent knows; OPENAI_BASE_URL says where.

import { createServer } from "node:http";
import { BuiltInAgent, CopilotRuntime, defineTool } from "@copilotkit/runtime/v2";
import { createCopilotNodeListener } from "@copilotkit/runtime/v2/node";
import { z } from "zod";

const weather = defineTool({
  name: "weather",
  description: "Tells the weather of a city",
  parameters: z.object({ city: z.string() }),
  execute: async ({ city }) => ({ city, sky: "blue" }),
});

const askColour = defineTool({
  name: "askColour",
  description: "Asks the user for a colour",
  parameters: z.object({ of: z.string() }),
  interrupt: true,
  interruptMessage: "Which colour?",
});

const helper = new BuiltInAgent({ model: "openai/helper", prompt: "You help.", tools: [weather, askColour], maxSteps: 4 });
const runtime = new CopilotRuntime({ agents: { helper } });
const routes = createCopilotNodeListener({ runtime, basePath: "/api/copilotkit" });
const single = createCopilotNodeListener({ runtime, basePath: "/single", mode: "single-route" });

const server = createServer((request, response) => (request.url.startsWith("/single") ? single : routes)(request, response));
server.listen(0, "127.0.0.1", () => console.log(`listening on http://127.0.0.1:${server.address().port}`));
