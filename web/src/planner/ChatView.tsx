import {
  CopilotChatMessageView,
  type CopilotChatMessageViewProps,
  CopilotChatView,
  type CopilotChatViewProps,
} from "@copilotkit/react-core/v2";
import { use, useEffect, useEffectEvent } from "react";
import { useStickToBottomContext } from "use-stick-to-bottom";
import { useDraft } from "../drafts";
import { useNotify } from "../shell/notices";
import { AssistantMessage } from "./AssistantMessage";
import { ConnectingContext, useTalk } from "./context";
import { Failed } from "./Failed";
import { UserMessage } from "./UserMessage";
import { Working } from "./Speaker";
import { Welcome } from "./Welcome";

const Nothing = () => null;

// Nothing can be attached, so there is no menu for it; and its one button is named by what it does now.
const inputWith = (button: string) =>
  ({
    showDisclaimer: false,
    addMenuButton: Nothing,
    textArea: { "aria-label": "Message" },
    sendButton: { "aria-label": button },
  }) as unknown as CopilotChatViewProps["input"];
const [idleInput, busyInput] = [inputWith("Send"), inputWith("Stop")];

/**
 * Takes the list of messages to its end when the person submits something: they want to see what comes of it, and may have
 * scrolled up to the option they chose. The list itself follows its growth only for a person who is at its end. That it takes
 * them for one once the answered question is gone needs a frame in which the reply has not taken the question's place yet,
 * and a busy machine may draw none.
 *
 * It is given to CopilotKit as the list's feather: that is always there, and inside the list's context.
 */
function EndOnSubmission() {
  const { submissions } = useTalk();
  const { scrollToBottom } = useStickToBottomContext();
  useEffect(() => {
    if (submissions > 0) void scrollToBottom();
  }, [submissions, scrollToBottom]);
  return null;
}
// Its button is named, which CopilotKit leaves out.
const scrollView = { feather: EndOnSubmission, scrollToBottomButton: { "aria-label": "Go to the end" } } as unknown as CopilotChatViewProps["scrollView"];

/** CopilotChat's view, with our messages, our suggestions, and nothing sent while a question is open or nobody listens. */
export function ChatView(props: CopilotChatViewProps) {
  const { agent, thread, asking, mute, showQuestion, suggestions, send, submitted } = useTalk();
  const notify = useNotify();
  const [draft, setDraft] = useDraft(`message ${agent}/${thread}`, "");
  const write = (text: string) => {
    setDraft(text);
    props.onInputChange?.(text);
  };
  const restore = useEffectEvent(() => draft !== "" && props.onInputChange?.(draft));
  useEffect(() => void restore(), []);
  // The field empties itself on what it takes for sending.
  const giveBack = (text: string) => setTimeout(() => write(text));
  const submit = (text: string) => {
    if (mute) {
      giveBack(text);
      notify({ kind: "info", text: "Nothing can be sent just now. Your message stays in the field." });
    } else if (asking) {
      giveBack(text);
      notify({ kind: "info", text: "Please answer the question first, or choose “Never mind”." });
      showQuestion();
    } else {
      submitted();
      props.onSubmitMessage?.(text);
    }
  };
  const empty = (props.messages?.length ?? 0) === 0;
  const free = !empty && !asking && !mute && props.onSubmitMessage !== undefined;
  return (
    <ConnectingContext value={props.isConnecting ?? false}>
      <CopilotChatView
        {...props}
        messageView={MessageView as CopilotChatViewProps["messageView"]}
        scrollView={scrollView}
        input={props.isRunning && props.onStop ? busyInput : idleInput}
        suggestions={free ? suggestions.map((s) => ({ ...s, isLoading: false })) : []}
        onInputChange={write}
        onSelectSuggestion={({ message }) => send(message)}
        onSubmitMessage={props.onSubmitMessage && submit}
      />
    </ConnectingContext>
  );
}

function MessageView(props: CopilotChatMessageViewProps) {
  const connecting = use(ConnectingContext);
  const { asking } = useTalk();
  if (props.messages?.length || props.isRunning || asking) {
    return (
      <>
        <CopilotChatMessageView
          {...props}
          assistantMessage={AssistantMessage as CopilotChatMessageViewProps["assistantMessage"]}
          userMessage={UserMessage as CopilotChatMessageViewProps["userMessage"]}
          cursor={Working}
        />
        <Failed />
      </>
    );
  }
  return connecting ? <div className="connecting" aria-busy="true"><div className="bone wide" /><div className="bone" /></div> : <Welcome />;
}
