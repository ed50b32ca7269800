import { CopilotChatAssistantMessage, type CopilotChatAssistantMessageProps } from "@copilotkit/react-core/v2";
import { inspect } from "../place";
import { select } from "../selection";
import { IconFork, IconPulse } from "../shell/icons";
import { nounFor } from "../words";
import { useTalk } from "./context";
import { Selectable } from "./Selectable";
import { SpeakerLine } from "./Speaker";

/** An agent's message: who speaks, what is said, and what can be done with it. */
export function AssistantMessage(props: CopilotChatAssistantMessageProps) {
  const { regenerate, fork, agent, deleted } = useTalk();
  const { message, messages = [] } = props;
  const at = messages.findIndex(({ id }) => id === message.id);
  const before = messages[at - 1];
  const name = speakerOf(message) ?? agent;
  const goesOn = before?.role === "assistant" && (speakerOf(before) ?? agent) === name;
  const last = at === messages.length - 1;
  const copy = `Copy the ${nounFor(agent)} up to here into a new one`;
  const said = typeof message.content === "string" && message.content.trim() !== "";
  return (
    <Selectable id={message.id} className="said" data-testid="said" data-speaker={name} data-last={last || undefined} data-goes-on={goesOn || undefined}>
      {said && !goesOn && <SpeakerLine name={name} />}
      <CopilotChatAssistantMessage
        {...props}
        {...(last && regenerate && { onRegenerate: regenerate })}
        additionalToolbarItems={
          <>
            <button
              type="button"
              className="icon-button small"
              aria-label="Show in the inspector"
              title="Show in the inspector"
              data-testid="message-inspect"
              onClick={(event) => {
                event.stopPropagation();
                select({ from: "chat", messageId: message.id });
                inspect({ tab: "trace" });
              }}
            >
              <IconPulse />
            </button>
            {!deleted && (
              <button type="button" className="icon-button small" aria-label={copy} title={copy} data-testid="message-fork" onClick={() => fork(message.id)}>
                <IconFork />
              </button>
            )}
          </>
        }
      />
    </Selectable>
  );
}

const speakerOf = (message: { name?: unknown }) => (typeof message.name === "string" && message.name !== "" ? message.name : undefined);
