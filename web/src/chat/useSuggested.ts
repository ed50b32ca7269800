import type { AbstractAgent } from "@ag-ui/client";
import { useCopilotKit, useSuggestions } from "@copilotkit/react-core/v2";
import { useEffect, useRef } from "react";
import type { Suggestion } from "../views/view";

/** How many suggestions the agent is asked for. */
const MAX_SUGGESTIONS = 3;
/** CopilotKit asks by itself at the end of its own runs. The page asks after this time. */
const SETTLE_MS = 300;

export interface Suggested {
  suggestions: Suggestion[];
  /** They are on their way. */
  suggesting: boolean;
}

/**
 * What the agent suggests to say next, asked for by CopilotKit's mechanism when the conversation is shown and after each run, also
 * after one of another tab. It is not asked while wanted is false.
 */
export function useSuggested(agent: AbstractAgent, id: string, wanted: boolean): Suggested {
  const { copilotkit } = useCopilotKit();
  const { suggestions, isLoading } = useSuggestions({ agentId: id });
  const asked = useRef("");

  const situation = () => `${agent.threadId} ${agent.messages.length} ${agent.messages.at(-1)?.id ?? ""}`;
  const now = useRef(situation);
  now.current = situation;

  useEffect(() => {
    if (!wanted) return;
    const key = copilotkit.addSuggestionsConfig({
      instructions: "",
      providerAgentId: id,
      consumerAgentId: id,
      maxSuggestions: MAX_SUGGESTIONS,
      /** It is read at the moment when CopilotKit would ask: while a question is open it is answered first. */
      get available() {
        if (agent.pendingInterrupts.length > 0) return "disabled" as const;
        asked.current = now.current();
        return "always" as const;
      },
    });
    return () => {
      asked.current = "";
      copilotkit.removeSuggestionsConfig(key);
      copilotkit.clearSuggestions(id);
    };
  }, [agent, copilotkit, id, wanted]);

  const idle = !agent.isRunning && agent.pendingInterrupts.length === 0;
  const here = situation();
  useEffect(() => {
    if (!wanted || !idle) return;
    const timer = setTimeout(() => asked.current !== here && copilotkit.reloadSuggestions(id), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [copilotkit, id, wanted, idle, here]);

  return { suggestions, suggesting: isLoading };
}
