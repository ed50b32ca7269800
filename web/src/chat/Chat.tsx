import { CopilotKitProvider, useCopilotKit } from "@copilotkit/react-core/v2";
import { type ReactNode, useCallback, useEffect, useReducer, useState } from "react";
import { mount } from "../mount";
import { activities } from "../content/activities";
import type { AgentInfo } from "../gateway/types";
import { renderers } from "../past/Behind";
import { useConnection } from "../shell/connection";
import { useNotify } from "../shell/notices";
import { CardContext } from "client/react/context";
import { cards } from "./cards";
import { Conversation } from "./Conversation";
import { describe } from "./failure";
import "@copilotkit/react-core/v2/styles.css";
import "./chat.css";
import "client/react/question.css";
import "client/react/approval.css";
import "./tool.css";
import "../past/past.css";
import "./side.css";
import "./layout.css";

interface Props {
  agent: AgentInfo;
  thread: string;
  /** Made up by this tab, and nothing said on it yet. */
  fresh: boolean;
}

const runtimeUrl = `${mount}/api/copilotkit`;

/**
 * CopilotKit's client states no protocol version: so the gateway learns that it knows SUBAGENT_* events. Files of messages come as
 * links, which the page reads once, and not with each snapshot again.
 */
const headers = { "X-Gateway-Subagents": "on", "X-Gateway-Files": "links" };

type OnError = NonNullable<Parameters<typeof CopilotKitProvider>[0]["onError"]>;

/**
 * A conversation with an agent. It is mounted again for each thread: CopilotKit keeps one agent object per name, and what that
 * holds of another thread, an open question above all, would be in the way.
 */
export default function Chat({ agent, thread, fresh }: Props) {
  const { suspect } = useConnection();
  const notify = useNotify();
  const onError = useCallback<OnError>(
    (event) => {
      const failure = describe(event.error, event.code);
      if (failure.kind === "connection") suspect(event.error);
      else if (failure.kind === "notice") notify({ kind: "error", text: failure.text, ...(failure.code && { code: failure.code }) });
    },
    [notify, suspect],
  );
  return (
    // "rest", not "auto": that falls back to another transport for good when /info fails once.
    <CopilotKitProvider runtimeUrl={runtimeUrl} headers={headers} useSingleEndpoint={false} enableInspector={false} renderActivityMessages={activities} renderCustomMessages={renderers} onError={onError}>
      <CardContext value={cards}>
        <Gate agent={agent.id}>
          <Conversation agent={agent} thread={thread} fresh={fresh} />
        </Gate>
      </CardContext>
    </CopilotKitProvider>
  );
}

/**
 * Lets the conversation in when CopilotKit knows the agent: its hooks throw for one it does not know, and connect twice if
 * they begin before. Once in, it stays, also while the gateway is away.
 */
function Gate({ agent, children }: { agent: string; children: ReactNode }) {
  const { copilotkit } = useCopilotKit();
  const { epoch } = useConnection();
  const [, look] = useReducer((n: number) => n + 1, 0);
  const [asked, setAsked] = useState(epoch);
  useEffect(() => {
    const subscription = copilotkit.subscribe({ onAgentsChanged: look });
    return () => subscription.unsubscribe();
  }, [copilotkit]);

  const known = copilotkit.getAgent(agent) !== undefined;
  useEffect(() => {
    // It asks for the agents once; after a failure, setting its address again makes it ask again.
    if (known || asked === epoch) return;
    setAsked(epoch);
    copilotkit.setRuntimeUrl(undefined);
    copilotkit.setRuntimeUrl(runtimeUrl);
  }, [known, asked, epoch, copilotkit]);

  if (!known) {
    return (
      <main className="waiting" id="chat" tabIndex={-1} aria-busy="true">
        <p className="unseen">Loading the conversation</p>
        <div className="bone wide" />
        <div className="bone" />
      </main>
    );
  }
  return children;
}
