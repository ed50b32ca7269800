import { useRef, useState } from "react";
import { resolved } from "../answer.ts";
import { answerOf, type Draft, emptyDraft } from "../draft.ts";
import { AnswerError } from "../errors.ts";
import type { Answer, Interrupt, Reason } from "../types.ts";
import { DecideAll } from "./DecideAll.tsx";
import { Question } from "./Question.tsx";
import { Refused } from "./Refused.tsx";

export interface QuestionsProps {
  /** The open questions. */
  questions: readonly Interrupt[];
  /** Sends the answers, one for each question. If it throws AnswerError the cards show it. */
  onAnswer: (answers: Answer[]) => Promise<unknown> | void;
  /** Why the last answers were refused. */
  refusal?: AnswerError | undefined;
  /** Nothing can be answered now. */
  disabled?: boolean;
}

/** The cards of open questions: options, approvals of calls, and forms. One is answered by a click; several are sent together. */
export function Questions({ questions, onAnswer, refusal, disabled = false }: QuestionsProps) {
  const [drafts, setDrafts] = useState<Readonly<Record<string, Draft>>>({});
  const [sending, setSending] = useState(false);
  const [thrown, setThrown] = useState<AnswerError>();
  const newest = useRef(drafts);
  if (questions.length === 0) return null;
  const several = questions.length > 1;
  const busy = disabled || sending;
  const change = (changed: Record<string, Draft>) => setDrafts((newest.current = { ...newest.current, ...changed }));
  const send = async (answers: Answer[]) => {
    if (busy || answers.length < questions.length) return;
    setSending(true);
    setThrown(undefined);
    try {
      await onAnswer(answers);
    } catch (error) {
      if (!(error instanceof AnswerError)) throw error;
      setThrown(error);
    } finally {
      setSending(false); // a question that is still open may be answered again
    }
  };
  const answers = () =>
    questions.flatMap((question): Answer[] => {
      const answer = answerOf(question, newest.current[question.id] ?? emptyDraft);
      return answer ? [resolved(question, answer.payload)] : [];
    });
  const choose = (id: string, draft: Draft) => {
    change({ [id]: draft });
    if (!several) void send(answers());
  };
  const why = reasonOf(thrown ?? refusal);
  const ready = answers().length === questions.length;
  const skip = () => send(questions.map(({ id }) => ({ interruptId: id, status: "cancelled" })));
  return (
    <div className="questions" role="group" aria-label={several ? `${questions.length} questions` : "A question"} aria-busy={busy}>
      {questions.map((question, i) => (
        <Question
          key={question.id}
          question={question}
          number={several ? i + 1 : undefined}
          draft={drafts[question.id] ?? emptyDraft}
          busy={busy}
          expired={undefined}
          onPick={(option) => choose(question.id, { option })}
          onChange={(value) => change({ [question.id]: { value } })}
          onSubmit={(value) => choose(question.id, { value })}
          onDecide={(decision, now) => (now ? choose(question.id, { decision }) : change({ [question.id]: { decision } }))}
        />
      ))}
      {why && <Refused refusal={why} />}
      <DecideAll questions={questions} drafts={drafts} busy={busy} onDecide={change} />
      <div className="questions-end">
        {several && (
          <button type="button" className="button primary" disabled={busy || !ready} onClick={() => void send(answers())}>
            Send {questions.length} answers
          </button>
        )}
        <button type="button" className="button quiet" disabled={busy} onClick={() => void skip()}>
          {several ? "Skip these questions" : "Skip this question"}
        </button>
      </div>
    </div>
  );
}

const reasonOf = (error: AnswerError | undefined): Reason | undefined => error && { text: error.message, code: error.code };
