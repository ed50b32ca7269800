import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { Contained } from "../content/Contained";
import { useDraft } from "../drafts";
import { marked, mayBeRounded } from "client/form";
import { type GatewayError, resumeThread } from "../gateway/api";
import type { Answer, Interrupt, Reason } from "client/types";
import { useTalk } from "./context";
import { DecideAll } from "client/react/DecideAll";
import { answerOf, type Draft, emptyDraft } from "client/draft";
import { Question } from "client/react/Question";
import { Refused } from "client/react/Refused";
import { standing } from "./standing";

interface Props {
  questions: Interrupt[];
  resolve: (payload: unknown, id?: string) => Promise<unknown>;
  cancel: (id?: string) => Promise<unknown>;
  /** An answer to all of them is on its way, until done. */
  onSend: (questions: Interrupt[], done: Promise<unknown>) => void;
  /** Whether they have to be answered before the next message. */
  onOpen: (open: boolean) => void;
  focus: RefObject<HTMLElement | null>;
}

/** The open questions of a thread. One is answered by a click; several are answered together, with one request. */
export function Questions({ questions: asked, resolve, cancel, onSend, onOpen, focus }: Props) {
  const { agent, thread, mute, deleted, open, expired, refusal } = useTalk();
  const { questions, live } = standing(asked, open, expired);
  // CopilotKit may have rounded a number. The card waits for the exact one from the thread.
  const unsure = questions.some((question) => asked.includes(question) && mayBeRounded(question));
  const [drafts, setDrafts] = useDraft<Record<string, Draft>>(`answers ${agent}/${thread}`, {});
  const [problem, setProblem] = useState<Reason>();
  const [sent, setSent] = useState<"answer" | "cancel">();
  const form = useRef<HTMLDivElement>(null);
  const sendButton = useRef<HTMLButtonElement>(null);
  const several = questions.length > 1;
  const draftOf = (id: string) => drafts[id] ?? emptyDraft;
  const ready = live.every((question) => answerOf(question, draftOf(question.id)));
  const over = live.length === 0;

  useEffect(() => {
    onOpen(!over);
    return () => onOpen(false);
  }, [onOpen, over]);

  // A layout effect: its cleanup runs while the card still has the focus, which goes to the conversation.
  useLayoutEffect(() => {
    focus.current = form.current;
    // The question takes the focus, but not from a person in the middle of writing.
    const active = document.activeElement;
    const writing = active instanceof HTMLTextAreaElement && active.value !== "";
    const card = form.current;
    if (!writing) card?.focus({ preventScroll: true });
    return () => {
      focus.current = null;
      if (card?.contains(document.activeElement)) document.getElementById("chat")?.focus({ preventScroll: true });
    };
  }, [focus]);

  const send = (what: "answer" | "cancel", each: (question: Interrupt) => Promise<unknown>) => {
    if (sent) return;
    form.current?.focus({ preventScroll: true }); // the button in hand is about to be disabled
    setSent(what);
    const done = Promise.allSettled(live.map(each));
    onSend(live, done);
    // If a question is still open now, its answer was refused and may be given again.
    void done.then(() => setSent(undefined));
  };
  /** Answers those that are left. CopilotKit sends no answer beside a question that has expired. */
  const sendThose = (what: "answer" | "cancel", resume: Answer[]) => {
    if (sent) return;
    form.current?.focus({ preventScroll: true });
    setSent(what);
    setProblem(undefined);
    const refuse = (error: GatewayError) => {
      setProblem({ text: error.message, code: error.code });
      setSent(undefined);
    };
    onSend(live, resumeThread(thread, agent, resume).catch(refuse));
  };
  const skip = () =>
    live.length === asked.length ? send("cancel", ({ id }) => cancel(id)) : sendThose("cancel", live.map(({ id }) => ({ interruptId: id, status: "cancelled" })));
  const submit = (given: Record<string, Draft>) => {
    const answers = new Map(live.map((question) => [question.id, answerOf(question, given[question.id] ?? emptyDraft)]));
    if (!live.every(({ id }) => answers.get(id))) return;
    if (live.length === asked.length) send("answer", ({ id }) => resolve(marked(answers.get(id)?.payload), id));
    else sendThose("answer", live.map(({ id }) => ({ interruptId: id, status: "resolved", payload: answers.get(id)?.payload })));
  };
  /** Keeps a draft and those of the other open questions, and drops older ones. */
  const change = (id: string, draft: Draft) =>
    setDrafts((now) => Object.fromEntries(questions.map((question) => [question.id, question.id === id ? draft : (now[question.id] ?? emptyDraft)])));
  /** Keeps decisions on several calls, and goes to what sends them: the button in hand is gone. */
  const decide = (decided: Record<string, Draft>) => {
    flushSync(() => setDrafts((now) => ({ ...now, ...decided })));
    const next = sendButton.current?.disabled === false ? sendButton.current : form.current;
    next?.focus();
  };
  const choose = (id: string, draft: Draft) => {
    const all = change(id, draft);
    if (!several) submit(all);
  };

  if (deleted) return null; // there is no thread left to answer
  const busy = sent !== undefined || mute || unsure || over;
  return (
    <div
      className="questions"
      ref={form}
      tabIndex={-1}
      role="group"
      aria-label={several ? `${questions.length} questions` : "A question"}
      data-testid="questions"
      aria-busy={busy && !over}
    >
      {(unsure ? [] : questions).map((question, i) => (
        <Contained key={question.id} value={question}>
          <Question
            question={question}
            number={several ? i + 1 : undefined}
            draft={draftOf(question.id)}
            busy={busy || expired.has(question.id)}
            expired={expired.has(question.id) ? (over ? "all" : "one") : undefined}
            onPick={(option) => choose(question.id, { option })}
            onChange={(value) => change(question.id, { value })}
            onSubmit={(value) => choose(question.id, { value })}
            onDecide={(decision, send) => (send ? choose : change)(question.id, { decision })}
          >
            {!several && refusal && <Refused refusal={refusal} />}
          </Question>
        </Contained>
      ))}
      {several && (problem ?? refusal) && <Refused refusal={(problem ?? refusal)!} />}
      {!over && <DecideAll questions={live} drafts={drafts} busy={busy} onDecide={decide} />}
      {!over && (
        <div className="questions-end">
          {several && (
            <button type="button" className="button primary" ref={sendButton} data-testid="send-answers" disabled={!ready || busy} onClick={() => submit(drafts)}>
              {live.length === 1 ? "Send the answer" : `Send ${live.length} answers`}
            </button>
          )}
          <button type="button" className="button quiet" data-testid="never-mind" disabled={busy} onClick={skip}>
            {live.length > 1 ? "Skip these questions" : "Skip this question"}
          </button>
        </div>
      )}
      <p className="unseen" role="status">
        {sent === "answer" ? "Answer sent." : sent === "cancel" ? "Question cancelled." : ""}
      </p>
    </div>
  );
}
