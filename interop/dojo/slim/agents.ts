import "server-only";

// The Dojo's table of backends, with one backend in every place: a gateway, whose agents backends.json names.
import { type AbstractAgent, HttpAgent } from "@ag-ui/client";
import { LangGraphHttpAgent } from "@ag-ui/langgraph";
import backends from "./backends.json";

const gateway = process.env.GATEWAY_URL;

// What the Dojo itself uses for the integration: LangGraph's have an agent class of their own.
const agentAt = (integration: string, url: string): AbstractAgent =>
  integration.startsWith("langgraph") ? new LangGraphHttpAgent({ url }) : new HttpAgent({ url });

// POST /subgraphs is what that page's own server offers.
const pathOf = (agent: string) => (agent === "subgraphs" ? "/subgraphs" : `/agents/${agent}`);

// eslint-disable-next-line @typescript-eslint/no-explicit-any
export const agentsIntegrations: any = Object.fromEntries(
  Object.entries(backends).map(([integration, pages]) => [
    integration,
    async () => Object.fromEntries(Object.entries(pages).map(([page, agent]) => [page, agentAt(integration, `${gateway}${pathOf(agent)}`)])),
  ]),
);

export const ADK_A2UI_INJECT_AGENTS: string[] = [];
export const STRANDS_A2UI_INJECT_AGENTS: string[] = [];
export const CREWAI_A2UI_INJECT_AGENTS: string[] = [];
export type { AbstractAgent };
