import { CopilotChat, CopilotKitProvider, useDefaultRenderTool, useHumanInTheLoop, useInterrupt } from "@copilotkit/react-core/v2";
import { useState } from "react";

/**
 * A page that lets people decide on calls by CopilotKit's own means: by its hook for questions, or, with `hook=tool`, by the one for
 * tools that a person carries out.
 */
export const approvalsPage = ({ url, thread, hook }) => (
  <CopilotKitProvider runtimeUrl={url} agentId="desk">
    {hook === "tool" ? <ByTool /> : <ByInterrupt />}
    <CopilotChat agentId="desk" threadId={thread} />
  </CopilotKitProvider>
);

function ByInterrupt() {
  useDefaultRenderTool();
  useInterrupt({
    agentId: "desk",
    render: ({ interrupts, resolve, cancel }) => interrupts.map((interrupt) => <Call key={interrupt.id} interrupt={interrupt} resolve={resolve} cancel={cancel} />),
  });
  return null;
}

/** What a page may make of the question about a call. */
function Call({ interrupt: { id, message, metadata }, resolve, cancel }) {
  const { tool, arguments: given, why, remember = [] } = metadata.value;
  const [text, setText] = useState(JSON.stringify(given));
  const [reason, setReason] = useState("");
  const [decided, setDecided] = useState("");
  const decide = (payload) => {
    setDecided(payload.approved ? "approved" : "declined");
    resolve({ ...payload, ...(reason && { reason }) }, id);
  };
  return (
    <fieldset data-testid="call" data-tool={tool}>
      <legend>{message}</legend>
      <p>{why}</p>
      <textarea aria-label="Arguments" value={text} onChange={(event) => setText(event.target.value)} />
      <input aria-label="Reason" value={reason} onChange={(event) => setReason(event.target.value)} />
      <button onClick={() => decide({ approved: true })}>Approve</button>
      <button onClick={() => decide({ approved: true, editedArgs: JSON.parse(text) })}>Approve as edited</button>
      {remember.map((scope) => (
        <button key={scope} onClick={() => decide({ approved: true, remember: scope })}>
          Approve for {scope}
        </button>
      ))}
      <button onClick={() => decide({ approved: false })}>Decline</button>
      <button onClick={() => cancel(id)}>Cancel</button>
      <output>{decided}</output>
    </fieldset>
  );
}

function ByTool() {
  useHumanInTheLoop({
    name: "refund",
    description: "Gives money back.",
    render: ({ status, respond }) => (
      <fieldset data-testid="tool">
        <legend>{status}</legend>
        {respond && <button onClick={() => respond({ approved: true })}>Approve</button>}
      </fieldset>
    ),
  });
  return null;
}
