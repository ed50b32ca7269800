// AWS Strands' agent behind the server of @ag-ui/aws-strands, at /. OPENAI_BASE_URL is where its model is.

import { StrandsAgent } from "@ag-ui/aws-strands";
import { createStrandsApp } from "@ag-ui/aws-strands/server";
import { Agent, tool } from "@strands-agents/sdk";
import { OpenAIModel } from "@strands-agents/sdk/models/openai";
import { z } from "zod";

const model = new OpenAIModel({ api: "chat", modelId: "helper", apiKey: process.env.OPENAI_API_KEY, clientConfig: { baseURL: process.env.OPENAI_BASE_URL } });

const weather = tool({
  name: "weather",
  description: "Tells the weather of a city",
  inputSchema: z.object({ city: z.string() }),
  callback: ({ city }) => ({ city, sky: "blue" }),
});

const remember = tool({
  name: "remember",
  description: "Notes a colour",
  inputSchema: z.object({ colour: z.string() }),
  callback: () => "noted",
});

const askColour = tool({
  name: "askColour",
  description: "Asks the user for a colour",
  inputSchema: z.object({ of: z.string() }),
  callback: ({ of }, context) => {
    const answer = context.interrupt({ name: "colour", reason: { question: `Which colour for ${of}?` } });
    return { of, answer };
  },
});

const agent = new Agent({ model, systemPrompt: "You help.", tools: [weather, remember, askColour], printer: false });
const helper = new StrandsAgent({
  agent,
  name: "helper",
  config: { toolBehaviors: { remember: { stateFromArgs: ({ toolInput }) => ({ colour: toolInput.colour }) } } },
});
const app = await createStrandsApp(helper);
const server = app.listen(0, "127.0.0.1", () => console.log(`listening on http://127.0.0.1:${server.address().port}`));
