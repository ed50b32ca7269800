import { CopilotChatInput, type CopilotChatInputProps } from "@copilotkit/react-core/v2";
import { createContext, type KeyboardEvent, use, useEffect, useRef } from "react";
import { AttachButton } from "../files/AttachButton";
import { Strip } from "../files/Strip";
import type { useAttach } from "../files/useAttach";
import { useTalk } from "./context";

/** The files that wait to be sent. */
export const AttachContext = createContext<ReturnType<typeof useAttach> | undefined>(undefined);

/** CopilotKit's field, with the files above it, and a button that is named by what it does now. */
export function Composer(props: CopilotChatInputProps) {
  const attach = use(AttachContext);
  const held = attach?.held ?? [];
  const stops = props.isRunning === true && props.onStop !== undefined;
  // CopilotKit sends no message without words.
  const sends = held.length > 0 && !props.isRunning && props.onSubmitMessage !== undefined;
  const send = () => {
    props.onSubmitMessage?.((props.value ?? "").trim());
    props.onChange?.("");
  };
  const sendOnEnter = (event: KeyboardEvent) => {
    if (held.length === 0 || !props.onSubmitMessage || event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing || !(event.target instanceof HTMLTextAreaElement)) return;
    event.preventDefault();
    event.stopPropagation();
    send();
  };
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isFree(document.activeElement)) box.current?.querySelector("textarea")?.focus({ preventScroll: true });
  }, []);
  return (
    <div onKeyDownCapture={sendOnEnter} ref={box}>
      <Strip held={held} onRemove={attach?.remove ?? (() => {})} />
      <CopilotChatInput
        {...props}
        showDisclaimer={false}
        addMenuButton={Attach as unknown as NonNullable<CopilotChatInputProps["addMenuButton"]>}
        textArea={{ "aria-label": "Message" } as CopilotChatInputProps["textArea"]}
        sendButton={{ "aria-label": stops ? "Stop" : "Send", ...(sends && { disabled: false, onClick: send }) } as CopilotChatInputProps["sendButton"]}
      />
    </div>
  );
}

/**
 * Whether a new conversation may have the focus: nothing else has it but what led here. Where there is no mouse it would bring up the
 * keyboard of the screen.
 */
const isFree = (active: Element | null) => matchMedia("(hover: hover) and (pointer: fine)").matches && (active === null || active === document.body || active.matches("#chat, .threads button, .agent-open"));

function Attach() {
  const { attachments } = useTalk();
  const attach = use(AttachContext);
  return attachments && attach ? <AttachButton rules={attachments} onFiles={attach.add} /> : null;
}
