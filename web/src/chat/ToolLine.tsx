import { useCopilotKit } from "@copilotkit/react-core/v2";
import { useMemo } from "react";
import { Files } from "../files/Files";
import { filesOf, textOf } from "../files/parts";
import { openApprovals } from "../approvals/open";
import { mayBeRounded, parse } from "client/form";
import { words } from "client/form/words";
import { decidedOf, type Decided } from "client/approval";
import { useSession } from "../session/tab";
import { type CallState, useCall } from "./calls";
import { CallAnswer } from "./CallAnswer";
import { changedPaths } from "client/changes";
import { useTalk } from "./context";
import { Seen } from "client/react/Seen";
import { LongText, Value } from "client/react/Value";

interface Props {
  toolCallId: string;
  name: string;
  parameters: unknown;
}

/** The state in a word, and the colour of its tag. */
const labels: Record<CallState, [label: string, colour?: string]> = {
  proposed: ["needs approval", "suspended"],
  running: ["running", "running"],
  waiting: ["needs your result", "suspended"],
  open: ["no result"],
  done: ["done", "finished"],
  failed: ["failed", "error"],
  declined: ["declined"],
};

/** A call of a tool without a special view: its outcome, its arguments and its result. */
export function ToolLine({ toolCallId, name, parameters: read }: Props) {
  const { state, result } = useCall(toolCallId);
  const { agent, thread } = useTalk();
  const parameters = useExact(agent, toolCallId, read);
  const decided = decidedOf(result?.metadata);
  const [label, colour] = labels[state];
  return (
    <div className="tool" data-testid="tool-call" data-name={name} data-state={state}>
      <details>
        <summary>
          {words(name)} <span className="tag" data-doing={colour}>
            {label}
          </span>
        </summary>
        <div className="tool-parts">
          {decided?.decision === "edited" ? (
            <>
              <Part name="Called with" value={decided.arguments} before={parameters} />
              <Part name="Proposed by the agent" value={parameters ?? {}} />
            </>
          ) : (
            <Part name="Arguments" value={parameters ?? {}} />
          )}
          {result && <Part name={state === "failed" ? "Error" : "Result"} value={parsed(result.content)} />}
        </div>
      </details>
      {result && <Files content={result.content} thread={thread} message={result.messageId} />}
      {state === "waiting" && <CallAnswer call={toolCallId} name={name} parameters={parameters} />}
      {decided && <Note decided={decided} />}
    </div>
  );
}

/** The arguments of a call as the agent wrote them. CopilotKit has read them, and may have rounded numbers of them. */
function useExact(agent: string, call: string, parameters: unknown): unknown {
  const { copilotkit } = useCopilotKit();
  return useMemo(() => {
    if (!mayBeRounded(parameters)) return parameters;
    const calls = (copilotkit.getAgent(agent)?.messages ?? []).flatMap((message) => (message.role === "assistant" ? (message.toolCalls ?? []) : []));
    return parsed(calls.find(({ id }) => id === call)?.function.arguments ?? parameters);
  }, [copilotkit, agent, call, parameters]);
}

function Part({ name, value, before }: { name: string; value: unknown; before?: unknown }) {
  return (
    <section aria-label={name}>
      <h3>{name}</h3>
      {typeof value === "string" ? <LongText text={value} /> : <Value value={value} changed={changedPaths(before ?? value, value)} />}
    </section>
  );
}

const decisions: Record<Decided["decision"], string> = {
  approved: "Approved",
  edited: "Approved with changed arguments",
  declined: "Declined",
  cancelled: "Not approved: the question was cancelled",
  remembered: "Made without asking, because it was approved before",
};

/** What a person decided about the call. */
function Note({ decided: { decision, reason, remember, by } }: { decided: Decided }) {
  const { me } = useSession();
  const who = by === "" ? "" : by === me?.principal.id ? " by you" : ` by ${by}`;
  const lasting = remember === "thread" ? " for this conversation" : remember === "principal" ? " for all your conversations with this agent" : "";
  return (
    <p className="tool-note" data-testid="call-decision" data-decision={decision}>
      {decisions[decision]}
      {lasting}
      {who}
      {reason !== "" && <>: “<Seen text={reason} lines />”</>}
      {remember && (
        <>
          {". "}
          <button type="button" className="link" aria-haspopup="dialog" data-testid="call-approvals" onClick={openApprovals}>
            Remembered approvals
          </button>
        </>
      )}
    </p>
  );
}

/** Results that are JSON objects or lists are read as such. Files are shown beside their text. */
function parsed(content: unknown): unknown {
  if (filesOf(content).length > 0) return textOf(content);
  if (typeof content !== "string" || !/^\s*[[{]/.test(content)) return content;
  try {
    return parse(content);
  } catch {
    return content;
  }
}
