import { approvalOf } from "../approval.ts";
import type { Interrupt } from "../types.ts";
import { editedOf } from "../decision.ts";
import type { Draft } from "../draft.ts";

interface Props {
  questions: readonly Interrupt[];
  drafts: Readonly<Record<string, Draft>>;
  busy: boolean;
  /** The drafts of those that were not decided yet. */
  onDecide: (drafts: Record<string, Draft>) => void;
}

/** Decides on all calls without a decision; nothing is sent by it. Calls with arguments that a person has not seen whole, or has
 * edited so that they do not fit, are not approved of in one go.
 */
export function DecideAll({ questions, drafts, busy, onDecide }: Props) {
  const calls = questions.flatMap(({ id, ...question }) => {
    const approval = approvalOf({ id, ...question });
    return approval ? [{ id, approval, decision: drafts[id]?.decision ?? {} }] : [];
  });
  const open = calls.filter(({ decision }) => decision.approved === undefined);
  if (calls.length < 2 || open.length === 0) return null;
  const which = open.length < calls.length ? "the rest" : "all";
  const safe = open.every(({ approval, decision }) => !approval.truncated && !approval.masked && !editedOf(approval, decision)?.problems.length);
  const decide = (approved: boolean) =>
    onDecide(Object.fromEntries(open.map(({ id, decision }) => [id, { decision: { ...decision, approved, editing: false } }])));
  return (
    <div className="row decide-all" role="group" aria-label="All calls">
      {safe && (
        <button type="button" className="button" disabled={busy} data-testid="approve-all" onClick={() => decide(true)}>
          Approve {which}
        </button>
      )}
      <button type="button" className="button" disabled={busy} data-testid="decline-all" onClick={() => decide(false)}>
        Decline {which}
      </button>
    </div>
  );
}
