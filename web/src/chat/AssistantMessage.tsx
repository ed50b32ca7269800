import { CopilotChatAssistantMessage, type CopilotChatAssistantMessageProps } from "@copilotkit/react-core/v2";
import { use } from "react";
import { useMemo } from "react";
import { Contained } from "../content/Contained";
import { Files } from "../files/Files";
import { filesOf, textOf } from "../files/parts";
import { inspect } from "../place";
import { select } from "../selection";
import { IconFork, IconPulse } from "../shell/icons";
import { ViewContext } from "../views/useView";
import { useTalk } from "./context";
import { Selectable } from "./Selectable";
import { SpeakerLine } from "./Speaker";

/** An agent's message. One that cannot be drawn is shown as data, and the others stay. */
export const AssistantMessage = (props: CopilotChatAssistantMessageProps) => (
  <Contained value={props.message}>
    <Drawn {...props} />
  </Contained>
);

/** The speaker, the text, and the actions on it. */
function Drawn(props: CopilotChatAssistantMessageProps) {
  const { regenerate, fork, agent, thread, deleted } = useTalk();
  const { noun } = use(ViewContext);
  const { message, messages = [] } = props;
  const at = messages.findIndex(({ id }) => id === message.id);
  const before = messages[at - 1];
  const name = speakerOf(message) ?? agent;
  const goesOn = before?.role === "assistant" && (speakerOf(before) ?? agent) === name;
  const last = at === messages.length - 1;
  const copy = `Copy the ${noun} up to here into a new one`;
  const text = textOf(message.content);
  const words = useMemo(() => ({ ...message, content: text }), [message, text]);
  const said = text.trim() !== "" || filesOf(message.content).length > 0;
  return (
    <Selectable id={message.id} className="said" data-testid="said" data-speaker={name} data-last={last || undefined} data-goes-on={goesOn || undefined}>
      {said && !goesOn && <SpeakerLine name={name} />}
      <Files content={message.content} thread={thread} message={message.id} />
      <CopilotChatAssistantMessage
        {...props}
        message={words}
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
