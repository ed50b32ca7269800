import { CopilotKit } from "@copilotkit/react-core";
import { CopilotChat, CopilotKitProvider } from "@copilotkit/react-core/v2";
import { Background } from "./background.jsx";
import { Document } from "./document.jsx";
import { Haiku } from "./haiku.jsx";
import { Meeting } from "./meeting.jsx";
import { Progress } from "./progress.jsx";
import { Recipe } from "./recipe.jsx";
import { Steps } from "./steps.jsx";
import { Weather } from "./weather.jsx";

// The AG-UI Dojo's pages, rebuilt from what they do: each has the chat, and what makes the feature.
const features = {
  agentic_chat: Background,
  agentic_chat_multimodal: () => null,
  agentic_chat_reasoning: () => null,
  agentic_generative_ui: Progress,
  backend_tool_rendering: Weather,
  error_flow: () => null,
  human_in_the_loop: Steps,
  human_in_the_loop_interrupt: Steps,
  interrupt: Meeting,
  predictive_state_updates: Document,
  shared_state: Recipe,
  tool_based_generative_ui: Haiku,
};

// useLangGraphInterrupt works below the older provider only.
const older = new Set(["human_in_the_loop", "human_in_the_loop_interrupt"]);

/** One of the Dojo's pages: the query's `feature` is its agent, too. */
export function dojoPage({ feature, url, thread, single }) {
  const Feature = features[feature];
  const chat = (
    <>
      <Feature agent={feature} />
      <CopilotChat agentId={feature} threadId={thread} attachments={{ enabled: feature === "agentic_chat_multimodal" }} />
    </>
  );
  const useSingleEndpoint = single === "1";
  if (older.has(feature)) {
    return (
      <CopilotKit runtimeUrl={url} useSingleEndpoint={useSingleEndpoint} agent={feature} threadId={thread} showDevConsole={false}>
        {chat}
      </CopilotKit>
    );
  }
  return (
    <CopilotKitProvider runtimeUrl={url} useSingleEndpoint={useSingleEndpoint} agentId={feature}>
      {chat}
    </CopilotKitProvider>
  );
}
