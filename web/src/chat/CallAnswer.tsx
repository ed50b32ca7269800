import { useAgent, useCopilotKit } from "@copilotkit/react-core/v2";
import { type FormEvent, useId, useState } from "react";
import { Seen } from "client/react/Seen";
import { Value } from "client/react/Value";
import { useDraft } from "../drafts";
import { read } from "client/form";
import { words } from "client/form/words";
import { newID } from "../id";
import { useTalk } from "./context";

interface Draft {
  text: string;
  json: boolean;
}

const empty: Draft = { text: "", json: false };

interface Props {
  /** The id of the call. */
  call: string;
  name: string;
  parameters: unknown;
}

/**
 * The result of a call of a tool that is another page's: the agent has it called by whoever shows the conversation, and this page
 * has no such tool. A person writes the result, or that there is none. The run continues when each open call has one.
 */
export function CallAnswer({ call, name, parameters }: Props) {
  const id = useId();
  const { agent: agentId, thread, mute, submitted } = useTalk();
  const { copilotkit } = useCopilotKit();
  const { agent } = useAgent({ agentId });
  const [draft, setDraft] = useDraft<Draft>(`result ${agentId}/${thread}/${call}`, empty);
  const [tried, setTried] = useState(false);
  const said = draft.json ? read(draft.text) : undefined;
  const problem = said && "problem" in said ? (draft.text.trim() === "" ? "Please write the result." : said.problem) : undefined;
  const busy = mute || agent.isRunning;
  const send = (content: string, error?: string) => {
    submitted();
    // An earlier result that did not reach the gateway is not sent beside this one.
    const others = agent.messages.filter((message) => message.role !== "tool" || message.toolCallId !== call);
    agent.setMessages([...others, { id: newID(), role: "tool", toolCallId: call, content, ...(error !== undefined && { error }) }]);
    document.getElementById("chat")?.focus({ preventScroll: true }); // the button in hand is about to be gone
    void copilotkit.runAgent({ agent });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (problem === undefined) send(draft.text);
    else setTried(true);
  };
  const fail = () => {
    const reason = draft.text.trim() || "no reason was given";
    send(`The call failed: ${reason}`, reason);
  };
  const shown = problem !== undefined && (tried || draft.text !== "");
  return (
    <form className="call-answer" noValidate onSubmit={submit} aria-label={`Result of ${words(name)}`} data-testid="call-answer">
      <p>
        The agent calls <strong><Seen text={name} /></strong>, a tool of the page that shows the conversation. This page does not have it: write its result, or a message to go on without one.
      </p>
      <Value value={parameters ?? {}} />
      <label htmlFor={id}>Result</label>
      <textarea
        id={id}
        className="field"
        rows={3}
        disabled={busy}
        spellCheck={!draft.json}
        aria-describedby={`${id}-problem`}
        aria-invalid={shown}
        data-testid="call-result"
        value={draft.text}
        onChange={({ target }) => setDraft({ ...draft, text: target.value })}
      />
      {shown && (
        <p className="problem" id={`${id}-problem`} role="status">
          {problem}
        </p>
      )}
      <label className="call-json">
        <input type="checkbox" disabled={busy} checked={draft.json} onChange={({ target }) => setDraft({ ...draft, json: target.checked })} /> It is JSON
      </label>
      <div className="row">
        <button type="submit" className="button primary" disabled={busy} data-testid="call-send">
          Send the result
        </button>
        <button type="button" className="button" disabled={busy} data-testid="call-fail" onClick={fail}>
          The tool failed
        </button>
      </div>
    </form>
  );
}
