import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { Answer, Asked } from "./asked";
import { pick } from "./answer";
import { useTalk } from "./context";
import { Question } from "./Question";

interface Props {
  questions: Asked[];
  resolve: (payload: unknown, id?: string) => Promise<unknown>;
  cancel: (id?: string) => Promise<unknown>;
  onOpen: (open: boolean) => void;
  onExpired: () => void;
  focus: RefObject<HTMLElement | null>;
}

/** The open questions of a thread. One is answered by a click; several are answered together, with one request. */
export function Questions({ questions, resolve, cancel, onOpen, onExpired, focus }: Props) {
  const [answers, setAnswers] = useState<Record<string, Answer>>({});
  const [sent, setSent] = useState<"answer" | "cancel">();
  const { mute, gone } = useTalk();
  const form = useRef<HTMLDivElement>(null);
  const many = questions.length > 1;
  const ready = questions.every(({ id }) => answers[id]);

  useEffect(() => {
    onOpen(true);
    return () => onOpen(false);
  }, [onOpen]);

  // A layout effect, whose end comes while the card still has the focus it leaves to the conversation.
  useLayoutEffect(() => {
    focus.current = form.current;
    // The question takes the focus, but not from somebody who is in the middle of writing.
    const active = document.activeElement;
    const writing = active instanceof HTMLTextAreaElement && active.value !== "";
    const card = form.current;
    if (!writing) card?.focus({ preventScroll: true });
    return () => {
      focus.current = null;
      if (card?.contains(document.activeElement)) document.getElementById("chat")?.focus({ preventScroll: true });
    };
  }, [focus]);

  const send = (what: "answer" | "cancel") => {
    form.current?.focus({ preventScroll: true }); // the button in hand is about to be disabled
    setSent(what);
  };
  const expired = () => questions.some(({ expiresAt }) => expiresAt !== undefined && Date.parse(expiresAt) <= Date.now());

  const submit = (given: Record<string, Answer>) => {
    if (sent) return;
    if (expired()) {
      onExpired();
      return;
    }
    send("answer");
    for (const { id } of questions) void resolve(given[id]?.payload, id);
  };
  const answer = (question: Asked, given: Answer) => {
    const all = { ...answers, [question.id]: given };
    setAnswers(all);
    if (!many) submit(all);
  };
  const neverMind = () => {
    if (sent) return;
    send("cancel");
    for (const { id } of questions) void cancel(id);
  };

  if (gone) return null; // there is nobody left to answer
  const busy = sent !== undefined || mute;
  return (
    <div
      className="questions"
      ref={form}
      tabIndex={-1}
      role="group"
      aria-label={many ? `${questions.length} questions` : "A question"}
      data-testid="questions"
      aria-busy={busy}
    >
      {questions.map((question, i) => (
        <Question
          key={question.id}
          question={question}
          number={many ? i + 1 : undefined}
          chosen={answers[question.id]}
          busy={busy}
          onPick={(option, at) => answer(question, { payload: pick(option, question.responseSchema), option: at })}
          onAnswer={(payload) => answer(question, { payload })}
        />
      ))}
      <div className="questions-end">
        {many && (
          <button type="button" className="button primary" data-testid="send-answers" disabled={!ready || busy} onClick={() => submit(answers)}>
            Send {questions.length} answers
          </button>
        )}
        <button type="button" className="button quiet" data-testid="never-mind" disabled={busy} onClick={neverMind}>
          Never mind
        </button>
        <p className="unseen" role="status">
          {sent === "answer" ? "Answer sent." : sent === "cancel" ? "Called off." : ""}
        </p>
      </div>
    </div>
  );
}
