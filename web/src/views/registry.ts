// The views of the page: the first that suits an agent is the agent's, and the plain one suits all.

import type { AgentInfo } from "../gateway/types";
import { plain } from "./plain";
import { travel } from "./travel";
import type { View } from "./view";

const views: View[] = [travel];

export const viewOf = (agent: AgentInfo): View => views.find((view) => view.suits(agent)) ?? plain;

/** Whether an agent has a view that is made for it. */
export const hasOwnView = (agent: AgentInfo): boolean => viewOf(agent) !== plain;
