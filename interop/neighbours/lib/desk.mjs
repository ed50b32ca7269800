// What every front end of others is tried with: a gateway whose team has a member for each thing that a front end may be asked to do.

import { modelsAt, startMock, teamFile, turns } from "../../models/lib/mock.mjs";
import { startGateway } from "../../lib/gateway.mjs";
import { until } from "../../lib/until.mjs";

/** What people write to the desk, and what its members say at the end. */
export const talk = {
  hello: { ask: "Hello", says: ["Hello.", "Welcome to the desk."] },
  price: { ask: "What is the price?", says: ["A shirt costs 20 euros."], result: { euros: 20 } },
  where: { ask: "Say where I am", says: ["You are in Paris."] },
  order: { ask: "I would like to order", asks: "Which size?", says: ["Ordered: M."] },
  story: { ask: "Tell me a story", begins: "Once upon a time." },
};

/** The tool that the page offers, which the guide calls. */
export const whereAmI = {
  name: "where_am_i",
  description: "The city in which the person is",
  parameters: { type: "object", properties: { precise: { type: "boolean" } } },
};

/** The rule that lets a participant speak once, and others after it. */
const sent = (value, speaker, ...others) => ({
  when: { and: [{ contains: { said: "user", value } }, ...[speaker, ...others].map((name) => ({ not: { speaker: name } }))] },
  speaker,
});

const script = (name, ...steps) => ({ name, type: "script", steps });

const team = (models) => ({
  models,
  agents: {
    desk: {
      type: "groupchat",
      manager: {
        type: "rules",
        rules: [
          sent("Hello", "greeter", "host"),
          { when: { speaker: "greeter" }, speaker: "host" },
          sent("price", "clerk"),
          sent("where", "guide"),
          sent("order", "waiter"),
          sent("story", "teller"),
        ],
        default: "done",
      },
      state: { client: ["/address"], initial: { shop: "Harbour" } },
      participants: [
        script("greeter", { say: talk.hello.says[0] }),
        script("host", { say: talk.hello.says[1] }),
        {
          name: "clerk",
          type: "llm",
          model: "clerk",
          instructions: "You know the prices.",
          tools: [{ name: "price_of", description: "What a thing costs", parameters: { type: "object", properties: { thing: { type: "string" } } }, result: talk.price.result }],
        },
        script("guide", { tool: { name: whereAmI.name, arguments: { precise: true } } }, { say: "You are in ${answers.where_am_i}." }),
        script(
          "waiter",
          { ask: { key: "size", message: talk.order.asks, options: ["S", "M", "L"] } },
          { set: { path: "/order", value: { size: "${answers.size}" } } },
          { say: "Ordered: ${answers.size}." },
        ),
        script("teller", { say: talk.story.begins }, { set: { path: "/begun", value: true } }, { sleep: "5m" }),
      ],
    },
  },
});

/**
 * Starts the gateway until the test file is over. Returns {url, gateway, thread(id), ended(id)}: url is the desk's own, thread what the gateway
 * has of a thread, and ended waits until nothing runs on it any more.
 */
export async function startDesk(options) {
  const mock = await startMock(turns("clerk", { toolCalls: [{ name: "price_of", arguments: { thing: "shirt" } }] }, talk.price.says[0]));
  const gateway = await startGateway({ team: teamFile(team(modelsAt(mock.url, ["clerk"]))), ...options });
  const thread = async (id) => (await fetch(`${gateway.url}/threads/${id}`)).json();
  const ended = (id) =>
    until(`the end of ${id}`, async () => {
      const found = await thread(id);
      return found.status !== "running" && found;
    });
  return { url: `${gateway.url}/agents/desk`, gateway, thread, ended };
}
