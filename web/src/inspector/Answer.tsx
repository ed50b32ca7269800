import { useState } from "react";
import { useDraft } from "../drafts";
import { GatewayError, resumeThread } from "../gateway/api";
import type { Answer as Given, Interrupt } from "client/types";
import { answerOf, type Draft, emptyDraft } from "client/draft";
import { CardContext } from "client/react/context";
import { Question } from "client/react/Question";
import { Refused } from "client/react/Refused";
import { cards } from "../chat/cards";
import { useExpired } from "../chat/useExpired";

interface Props {
  agent: string;
  thread: string;
  questions: readonly Interrupt[];
}

/** Answers the open questions from here: as in the conversation, with one request for all of them. */
export function Answer({ agent, thread, questions }: Props) {
  const [drafts, setDrafts] = useDraft<Record<string, Draft>>(`inspector answers ${agent}/${thread}`, {});
  const [sending, setSending] = useState(false);
  const [refusal, setRefusal] = useState<{ text: string; code?: string }>();
  const expired = useExpired(questions);
  const several = questions.length > 1;
  const live = questions.filter(({ id }) => !expired.has(id));
  const busy = sending || live.length === 0;
  const answers = (given: Record<string, Draft>) =>
    live.flatMap((question): Given[] => {
      const answer = answerOf(question, given[question.id] ?? emptyDraft);
      return answer ? [{ interruptId: question.id, status: "resolved", payload: answer.payload }] : [];
    });
  const send = async (resume: Given[]) => {
    if (busy || resume.length < live.length) return;
    setSending(true);
    setRefusal(undefined);
    try {
      await resumeThread(thread, agent, resume);
    } catch (error) {
      if (error instanceof GatewayError) setRefusal({ text: error.message, ...(error.code && { code: error.code }) });
      else throw error;
    } finally {
      setSending(false); // a question that is still open may be answered again
    }
  };
  const change = (id: string, draft: Draft, submit: boolean) => {
    const given = setDrafts((now) => ({ ...now, [id]: draft }));
    if (submit && !several) void send(answers(given));
  };
  const ready = answers(drafts).length === live.length;
  return (
    <CardContext value={cards}>
      <div className="insp-answer" data-testid="inspector-answer">
        {questions.map((question, i) => (
          <Question
            key={question.id}
            question={question}
            number={several ? i + 1 : undefined}
            draft={drafts[question.id] ?? emptyDraft}
            busy={busy || expired.has(question.id)}
            expired={expired.has(question.id) ? (live.length === 0 ? "all" : "one") : undefined}
            onPick={(option) => change(question.id, { option }, true)}
            onChange={(value) => change(question.id, { value }, false)}
            onSubmit={(value) => change(question.id, { value }, true)}
            onDecide={(decision, send) => change(question.id, { decision }, send)}
          />
        ))}
        {refusal && <Refused refusal={refusal} />}
        <div className="insp-actions">
          {several && (
            <button type="button" className="insp-button insp-small" disabled={!ready || busy} onClick={() => void send(answers(drafts))} data-testid="inspector-send">
              {live.length === 1 ? "Send the answer" : `Send ${live.length} answers`}
            </button>
          )}
          <button
            type="button"
            className="insp-button insp-small"
            disabled={busy}
            onClick={() => void send(live.map(({ id }) => ({ interruptId: id, status: "cancelled" })))}
            data-testid="inspector-skip"
          >
            {live.length > 1 ? "Skip these questions" : "Skip this question"}
          </button>
        </div>
      </div>
    </CardContext>
  );
}
