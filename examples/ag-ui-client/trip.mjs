// Plans a trip, and takes every recommendation. Cut its connection as often as you like.

import { answerFor, GatewayAgent } from "@agui-gateway/client";

const gateway = process.env.GATEWAY_URL ?? "http://127.0.0.1:8080";
const key = process.env.GATEWAY_KEY; // a key or token, for a gateway that asks who one is
const headers = key ? { Authorization: `Bearer ${key}` } : {};
const agent = new GatewayAgent({ url: `${gateway}/agents/travel`, headers });
agent.subscribe({
  onTextMessageContentEvent: ({ event }) => void process.stdout.write(event.delta),
  onTextMessageEndEvent: () => void process.stdout.write("\n"),
});

agent.addMessage({ id: "m1", role: "user", content: "Plan my trip" });
await agent.runAgent();
while (agent.pendingInterrupts.length > 0) {
  await agent.answer(agent.pendingInterrupts.map((question) => answerFor(question).recommended()));
}
console.log(agent.state.itinerary);
