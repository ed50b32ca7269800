import { UseAgentUpdate, useAgent } from "@copilotkit/react-core/v2";

/** Generative UI from the shared state: the steps that the agent works through. */
export function Progress({ agent: agentId }) {
  const { agent } = useAgent({ agentId, updates: [UseAgentUpdate.OnStateChanged] });
  const steps = agent.state?.steps ?? [];
  return (
    <ol aria-label="Progress">
      {steps.map(({ description, status }) => (
        <li key={description} data-status={status}>
          {description}
        </li>
      ))}
    </ol>
  );
}
