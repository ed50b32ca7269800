import {
  CopilotChatMessageView,
  type CopilotChatMessageViewProps,
  CopilotChatView,
  type CopilotChatViewProps,
} from "@copilotkit/react-core/v2";
import { use, useEffect, useEffectEvent } from "react";
import { useStickToBottomContext } from "use-stick-to-bottom";
import { Reasoning } from "../content/Reasoning";
import { useDraft } from "../drafts";
import { refusedFile } from "../files/parts";
import { useAttach } from "../files/useAttach";
import { useSendFiles } from "../files/useSendFiles";
import { Home } from "../home/Home";
import { useNotify } from "../shell/notices";
import { AssistantMessage } from "./AssistantMessage";
import { AttachContext, Composer } from "./Composer";
import { ConnectingContext, useTalk } from "./context";
import { Failed } from "./Failed";
import { UserMessage } from "./UserMessage";
import { Working } from "./Speaker";

/**
 * Takes the list of messages to its end when the person submits something: they want to see the answer, and may have
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

/** CopilotChat's view, with our messages, our suggestions, and nothing sent while a question is open or the gateway is away. */
export function ChatView(props: CopilotChatViewProps) {
  const { agent, thread, attachments, asking, typing, mute, showQuestion, suggestions, send, submitted } = useTalk();
  const notify = useNotify();
  const [draft, setDraft] = useDraft<string>(`message ${agent}/${thread}`, "");
  const write = (text: string) => {
    setDraft(text);
    props.onInputChange?.(text);
  };
  const restore = useEffectEvent(() => draft !== "" && props.onInputChange?.(draft));
  useEffect(() => void restore(), []);
  // The field empties itself on what it takes for sending.
  const giveBack = (text: string) => setTimeout(() => write(text));
  const attach = useAttach(attachments, agent, thread);
  const sendFiles = useSendFiles(agent);
  const submitFiles = async (text: string) => {
    const held = attach.takeAll();
    submitted();
    const failed = await sendFiles(text, held.map(({ file }) => file));
    if (!failed) return;
    const refused = refusedFile(failed.message, text !== "");
    attach.giveBack(held.map(({ id, file }, at) => ({ id, file, ...(refused?.at === at && { problem: refused.problem }) })));
    if (text !== "") giveBack(text);
  };
  const submit = (text: string) => {
    if (mute) {
      giveBack(text);
      notify({ kind: "info", text: "Nothing can be sent just now. Your message stays in the field." });
    } else if (attach.held.length > 0 && props.isRunning) {
      giveBack(text);
      notify({ kind: "info", text: "Files can be sent when the agent has finished. They stay here." });
    } else if (asking && typing && attach.held.length === 0) {
      send(text);
    } else if (asking) {
      giveBack(text);
      notify({ kind: "info", text: "Please answer the question first, or choose “Skip this question”." });
      showQuestion();
    } else if (attach.held.length > 0) {
      void submitFiles(text);
    } else {
      submitted();
      props.onSubmitMessage?.(text);
    }
  };
  const empty = (props.messages?.length ?? 0) === 0;
  const free = !empty && !asking && !mute && props.onSubmitMessage !== undefined;
  return (
    <ConnectingContext value={props.isConnecting ?? false}>
      <AttachContext value={attach}>
        <CopilotChatView
          {...props}
          messageView={MessageView as CopilotChatViewProps["messageView"]}
          scrollView={scrollView}
          input={Composer as CopilotChatViewProps["input"]}
          {...attach.on}
          dragOver={attach.over}
          suggestions={free ? suggestions.map((s) => ({ ...s, isLoading: false })) : []}
          onInputChange={write}
          onSelectSuggestion={({ message }) => send(message)}
          onSubmitMessage={props.onSubmitMessage && submit}
        />
      </AttachContext>
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
          reasoningMessage={Reasoning as CopilotChatMessageViewProps["reasoningMessage"]}
          cursor={Working}
        />
        <Failed />
      </>
    );
  }
  return connecting ? <div className="connecting" aria-busy="true"><div className="bone wide" /><div className="bone" /></div> : <Home />;
}
