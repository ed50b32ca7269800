import { goToThread } from "../place";
import { useInbox } from "./inbox";
import { useTitleCount } from "./useTitleCount";

/** How many conversations need an answer, with any agent, and the way to the newest of them. */
export function WaitingButton() {
  const { count, next } = useInbox();
  useTitleCount(count);
  if (count === 0) return null;
  const text = count === 1 ? "needs your answer" : "need your answer";
  return (
    <button
      type="button"
      className="button quiet waiting-button"
      data-testid="waiting"
      title={next ? "Go to the newest of them" : "Go to the question"}
      onClick={() => (next ? goToThread(next.agent, next.id) : showQuestion())}
    >
      <span className="count">{count}</span> <span className="waiting-text">{text}</span>
      <span className="unseen"> in {count === 1 ? "a conversation" : "conversations"}</span>
    </button>
  );
}

/** Puts the keyboard's focus on the question of the conversation that is on the page, or on the call that waits for its result. A question that appears takes it by itself. */
export function showQuestion() {
  document.querySelector<HTMLElement>('[data-testid="questions"], [data-testid="call-result"]')?.focus();
}
