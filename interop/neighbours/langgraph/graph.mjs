// The graph that the server serves. OPENAI_BASE_URL is where its model is, GATE_URL what answers when a run that takes its time may go on.

import { tool } from "@langchain/core/tools";
import { AIMessage } from "@langchain/core/messages";
import { Annotation, END, interrupt, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { ChatOpenAI } from "@langchain/openai";
import { z } from "zod";

const State = Annotation.Root({
  ...MessagesAnnotation.spec,
  "ag-ui": Annotation(), // the page's tools and context
  topic: Annotation(),
  heard: Annotation(),
  colour: Annotation(),
  size: Annotation(),
});
const model = new ChatOpenAI({
  model: "helper",
  apiKey: process.env.OPENAI_API_KEY,
  configuration: { baseURL: process.env.OPENAI_BASE_URL },
  streaming: true,
  streamUsage: true,
});
const weather = tool(({ city }) => JSON.stringify({ city, sky: "blue" }), {
  name: "weather",
  description: "Tells the weather of a city",
  schema: z.object({ city: z.string() }),
});

const lastWords = ({ messages }) => String(messages.findLast((m) => m.getType() === "human")?.content ?? "");
const pageTools = (state) => (state["ag-ui"]?.tools ?? []).map((t) => ({ type: "function", function: t }));

async function speak(state) {
  const reply = await model.bindTools([weather, ...pageTools(state)]).invoke(state.messages);
  return { messages: [reply], heard: state.topic };
}

/** Where a run begins, by the user's words. */
function begin(state) {
  const words = lastWords(state);
  if (/paint/.test(words)) return ["askColour", "askSize"];
  if (/research/.test(words)) return "researcher";
  if (/wait/.test(words)) return "wait";
  if (/take your time/.test(words)) return "slow";
  if (/break/.test(words)) return "breaks";
  return "speak";
}

/** Only its own tools are run here. */
const next = ({ messages }) => (messages.at(-1).tool_calls?.some(({ name }) => name === "weather") ? "tools" : END);

const researcher = new StateGraph(State)
  .addNode("read", async (state) => ({ messages: [await model.invoke(state.messages)] }))
  .addEdge(START, "read")
  .addEdge("read", END)
  .compile();

export const graph = new StateGraph(State)
  .addNode("speak", speak)
  .addNode("tools", new ToolNode([weather]))
  .addNode("askColour", () => ({ colour: interrupt({ question: "Which colour?", options: ["red", "blue"] }) }))
  .addNode("askSize", () => ({ size: interrupt("How large?") }))
  .addNode("painted", ({ colour, size }) => ({ messages: [new AIMessage(`A ${colour} wall of ${size} metres.`)] }))
  .addNode("researcher", researcher)
  .addNode("wait", (_, config) => {
    config.writer("waiting");
    return new Promise((_, reject) => config.signal.addEventListener("abort", () => reject(new Error("stopped"))));
  })
  .addNode("slow", async (_, { writer }) => {
    writer("first");
    await fetch(process.env.GATE_URL);
    writer("second");
    return { messages: [new AIMessage("Here I am.")] };
  })
  .addNode("breaks", () => {
    throw new RangeError("a secret of the graph's");
  })
  .addConditionalEdges(START, begin, ["speak", "askColour", "askSize", "researcher", "wait", "slow", "breaks"])
  .addConditionalEdges("speak", next, ["tools", END])
  .addEdge("tools", "speak")
  .addEdge(["askColour", "askSize"], "painted")
  .addEdge("painted", END)
  .addEdge("researcher", END)
  .compile();
