import { UseAgentUpdate, useAgent, useHumanInTheLoop } from "@copilotkit/react-core/v2";
import { useRef } from "react";
import { z } from "zod";

/** A document that grows in the shared state while the model writes it, and that a person then keeps or takes back. */
export function Document({ agent: agentId }) {
  const { agent } = useAgent({ agentId, updates: [UseAgentUpdate.OnStateChanged] });
  const document = agent.state?.document ?? "";
  const [kept, lengths] = [useRef(""), useRef(new Set())];
  lengths.current.add(document.length);
  useHumanInTheLoop(
    {
      name: "confirm_changes",
      description: "Lets the person keep the changes or take them back",
      parameters: z.object({}),
      render: ({ respond, status }) =>
        status === "executing" ? (
          <fieldset>
            <legend>Keep the changes?</legend>
            <button onClick={() => ((kept.current = document), respond({ accepted: true }))}>Keep them</button>
            <button onClick={() => (agent.setState({ document: kept.current }), respond({ accepted: false }))}>Take them back</button>
          </fieldset>
        ) : (
          <p>Decided</p>
        ),
    },
    [document],
  );
  return (
    <article aria-label="Document" data-versions={lengths.current.size}>
      {document}
    </article>
  );
}
