import { useCopilotKit } from "@copilotkit/react-core/v2";
import { useCallback } from "react";
import { newID } from "../id";
import { contentOf } from "./parts";

/**
 * Sends a message with files. What it returns is why the message was not taken; then it is not in the conversation, and whoever sent
 * it has it back.
 */
export function useSendFiles(agentId: string) {
  const { copilotkit } = useCopilotKit();
  return useCallback(
    async (text: string, files: readonly File[]): Promise<Error | undefined> => {
      const agent = copilotkit.getAgent(agentId);
      if (!agent) return new Error("The agent cannot be reached.");
      let content;
      try {
        content = await contentOf(text, files);
      } catch (error) {
        return error as Error;
      }
      const id = newID();
      let taken = false;
      let failed: Error | undefined;
      const subscription = agent.subscribe({
        onRunStartedEvent: () => void (taken = true),
        onRunFailed: ({ error }) => void (failed = error),
      });
      try {
        agent.addMessage({ id, role: "user", content } as Parameters<typeof agent.addMessage>[0]);
        await copilotkit.runAgent({ agent });
      } catch (error) {
        failed ??= error as Error;
      } finally {
        subscription.unsubscribe();
      }
      if (taken || !failed) return undefined;
      agent.setMessages(agent.messages.filter((message) => message.id !== id));
      return failed;
    },
    [copilotkit, agentId],
  );
}
