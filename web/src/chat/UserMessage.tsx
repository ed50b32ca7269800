import { CopilotChatUserMessage, type CopilotChatUserMessageProps } from "@copilotkit/react-core/v2";
import { useMemo } from "react";
import { Contained } from "../content/Contained";
import { Files } from "../files/Files";
import { textOf } from "../files/parts";
import { useTalk } from "./context";
import { Selectable } from "./Selectable";

/** A person's message with its files, which can be looked at in the inspector. One that cannot be drawn is shown as data. */
export const UserMessage = (props: CopilotChatUserMessageProps) => (
  <Contained value={props.message}>
    <Drawn {...props} />
  </Contained>
);

function Drawn(props: CopilotChatUserMessageProps) {
  const { thread } = useTalk();
  const { message } = props;
  const text = textOf(message.content);
  const words = useMemo(() => ({ ...message, content: text }), [message, text]);
  return (
    <Selectable id={message.id} className="mine" data-testid="mine" data-wordless={text === "" || undefined}>
      <Files content={message.content} thread={thread} message={message.id} />
      <CopilotChatUserMessage {...props} message={words} />
    </Selectable>
  );
}
