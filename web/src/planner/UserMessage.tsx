import { CopilotChatUserMessage, type CopilotChatUserMessageProps } from "@copilotkit/react-core/v2";
import { Selectable } from "./Selectable";

/** A person's message, which can be looked at in the inspector. */
export function UserMessage(props: CopilotChatUserMessageProps) {
  return (
    <Selectable id={props.message.id} className="mine" data-testid="mine">
      <CopilotChatUserMessage {...props} />
    </Selectable>
  );
}
