// A help desk whose calls of tools need approval: a model that proposes what the user's words say, and a shop that does it.

import { once } from "node:events";
import { createServer } from "node:http";
import { after } from "node:test";
import { modelsAt, startMock, teamFile } from "../../models/lib/mock.mjs";
import { startGateway } from "./servers.mjs";

export const why = "The parcel never arrived, so I would give the money back.";
export const refund = { order: "A-1", euros: 40 };
export const letter = { to: "Ann", text: "Dear Ann, we are sorry." };
/** More than is shown of arguments. */
export const long = { to: "Ann", text: "We are very sorry. ".repeat(1200) };

const calls = (content, ...toolCalls) => ({ content, toolCalls: toolCalls.map(([name, args]) => ({ name, arguments: args })) });
const proposals = {
  "Refund it": calls(why, ["refund", refund]),
  "Refund it and write": calls("Both would help.", ["refund", refund], ["write", letter]),
  "Write at length": calls("A long letter.", ["write", long]),
  "Write at length and refund": calls("A long letter, and money.", ["write", long], ["refund", refund]),
  "Write to her address": calls("A letter.", ["write", { ...letter, to: "ann@example.org" }]),
  "Move it": calls("I would move it.", ["move", '{"account":9007199254740993,"note":"pay \\u202e000,1"}']),
  "Refund what was never bought": calls("I try.", ["refund", { order: "A-404", euros: 1 }]),
};

const parameters = {
  refund: {
    type: "object",
    required: ["order", "euros"],
    properties: { order: { type: "string", title: "Order" }, euros: { type: "integer", title: "Euros", maximum: 100 } },
  },
  move: { type: "object", required: ["account", "note"], properties: { account: { type: "integer" }, note: { type: "string" } } },
  write: { type: "object", required: ["to", "text"], properties: { to: { type: "string" }, text: { type: "string" } } },
};

/**
 * Starts the desk until the test file is over: {gateway, another(args), shop, told()}; another starts one more gateway of the same
 * desk, with args, or those of the first. The agent "desk" asks about each call and remembers, the agent "plain" remembers nothing.
 * told returns the results in the model's last request, in order. shop.asked are the bodies that the shop received so far, shop.bodies their texts; after
 * shop.hold() it answers no request before the function that hold returned is called.
 */
export async function startDesk({ args } = {}) {
  const shop = await startShop();
  const mock = await startMock([
    ...Object.entries(proposals)
      .toSorted(([a], [b]) => b.length - a.length) // a fixture is one whose words are part of what was said
      .map(([userMessage, response]) => ({ match: { model: "desk", userMessage, hasToolResult: false }, response })),
    { match: { model: "desk", hasToolResult: true }, response: { content: "That is that." } },
  ]);
  const tool = (name, description) => ({ name, description, parameters: parameters[name], http: { url: `${shop.url}/${name}`, method: "POST", idempotent: "on" } });
  const desk = { type: "llm", model: "desk", description: "Helps with orders", tools: [tool("refund", "Gives money back."), tool("write", "Writes a letter."), tool("move", "Moves money.")] };
  const team = teamFile({
    models: modelsAt(mock.url, ["desk"]),
    agents: {
      desk: { ...desk, remember: ["thread", "principal"], guardrails: [{ on: "output", redact: ["email"] }] },
      plain: desk,
    },
  });
  const another = (own = args) => startGateway({ args: own, team });
  const gateway = await another();
  const told = async () => (await mock.requests("desk")).at(-1).messages.filter(({ role }) => role === "tool").map(({ content }) => content);
  return { gateway, another, shop, told };
}

async function startShop() {
  const [asked, bodies] = [[], []];
  let held = Promise.resolve();
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const part of request) body += part;
    const order = JSON.parse(body);
    bodies.push(body);
    asked.push(order);
    await held;
    response.writeHead(order.order === "A-404" ? 404 : 200, { "Content-Type": "application/json" });
    response.end(JSON.stringify(order.order === "A-404" ? { error: "no such order" } : { done: request.url.slice(1), ...order }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  const hold = () => {
    let release;
    held = new Promise((resolve) => (release = resolve));
    return release;
  };
  return { url: `http://127.0.0.1:${server.address().port}`, asked, bodies, hold };
}
