import { createContext, use } from "react";
import type { AgentInfo } from "../gateway/types";
import { plain } from "./plain";
import { viewOf } from "./registry";
import type { View } from "./view";

/** The served agents, as far as they are known. */
export const AgentsContext = createContext<AgentInfo[]>([]);

/** An agent by its id. Of one that is not served, or not known yet, there is only the id. */
export function useAgentInfo(id: string): AgentInfo {
  return use(AgentsContext).find((agent) => agent.id === id) ?? { id, description: "", interrupts: false, participants: [] };
}

export const useView = (id: string): View => viewOf(useAgentInfo(id));

/** The view of the conversation that is shown, for the components within it and its inspector. */
export const ViewContext = createContext<View>(plain);
