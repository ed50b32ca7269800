import type { CopilotChatReasoningMessage } from "@copilotkit/react-core/v2";
import { type ComponentProps, useEffect, useRef, useState } from "react";
import { Selectable } from "../chat/Selectable";
import { Streamdown } from "../markdown/Markdown";
import { Contained } from "./Contained";
import { duration } from "./duration";

type Props = ComponentProps<typeof CopilotChatReasoningMessage>;

/** An agent's reasoning, folded. Encrypted reasoning has no text and is not shown. */
export const Reasoning = (props: Props) => (
  <Contained value={props.message}>
    <Drawn {...props} />
  </Contained>
);

function Drawn({ message, messages, isRunning }: Props) {
  const text = typeof message.content === "string" ? message.content : "";
  const thinking = isRunning === true && messages?.at(-1)?.id === message.id;
  const seconds = useSeconds(thinking, text);
  if (text === "") return thinking ? <p className="reasoning" data-testid="thinking">Thinking…</p> : null;
  return (
    <Selectable id={message.id}>
      <details className="reasoning" data-testid="reasoning" data-thinking={thinking || undefined}>
        <summary>{thinking ? "Thinking…" : seconds === undefined ? "Thoughts" : `Thought for ${duration(seconds)}`}</summary>
        <Streamdown>{text}</Streamdown>
      </details>
    </Selectable>
  );
}

/** How much text may be there when the page first sees it begin; the duration of earlier text is unknown. */
const MAX_BEGUN = 100;

function useSeconds(thinking: boolean, text: string): number | undefined {
  const began = useRef(thinking && text.length < MAX_BEGUN ? Date.now() : undefined);
  const [seconds, setSeconds] = useState<number>();
  useEffect(() => {
    if (!thinking && began.current !== undefined) setSeconds((Date.now() - began.current) / 1000);
  }, [thinking]);
  return seconds;
}
