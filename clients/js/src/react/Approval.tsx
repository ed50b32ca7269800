import { type MouseEvent, useContext, useId, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { SchemaForm, stringify, visible } from "../form/index.ts";
import type { Approval } from "../approval.ts";
import type { ApprovalScope } from "../types.ts";
import { type Change, changedPaths } from "../changes.ts";
import { type Decision, type Edited, editedOf, MAX_REASON } from "../decision.ts";
import { CardContext } from "./context.ts";
import { Seen } from "./Seen.tsx";
import { LongText, Value } from "./Value.tsx";

interface Props {
  approval: Approval;
  decision: Decision;
  /** Other questions are open too: the decision is sent with the answers to them. */
  several: boolean;
  busy: boolean;
  onChange: (decision: Decision) => void;
  /** Decides, and sends it if no other question is open. */
  onDecide: (decision: Decision) => void;
}

/**
 * Leaves the focus where it is when a button is pressed by pointer: a field that shows its problem as soon as it is left
 * would move the button away from under the pointer.
 */
const stay = (event: MouseEvent) => event.preventDefault();

/** A call of a tool that a person approves of, as it is or with other arguments, or declines. */
export function ApprovalCard({ approval, decision, several, busy, onChange, onDecide }: Props) {
  const { Text } = useContext(CardContext);
  const [tried, setTried] = useState(false);
  const edited = editedOf(approval, decision);
  const wrong = edited !== undefined && edited.problems.length > 0;
  const changed = edited !== undefined && edited.changes.length > 0;

  const approve = () => {
    if (several && decision.approved) return onChange({ ...decision, approved: undefined });
    setTried(wrong);
    if (wrong) onChange({ ...decision, editing: true });
    else onDecide({ ...decision, approved: true, editing: false });
  };
  const decline = () => {
    if (several && decision.approved === false) return onChange({ ...decision, approved: undefined });
    onDecide({ ...decision, approved: false, editing: false });
  };
  return (
    <div className="approval" data-testid="approval" data-tool={approval.tool} data-decided={decision.approved === undefined ? undefined : decision.approved ? "approved" : "declined"}>
      {approval.why !== "" && (
        <section className="approval-why" aria-label="Why">
          <h3>Why</h3>
          {Text ? <Text>{visible(approval.why, { lines: true })}</Text> : <p className="value-text"><Seen text={approval.why} lines /></p>}
        </section>
      )}
      <p className="approval-tool">
        <code><Seen text={approval.tool} /></code> <Seen text={approval.description} lines />
      </p>
      <Arguments approval={approval} decision={decision} edited={edited} tried={tried} busy={busy} onChange={onChange} />
      {approval.reasons && <Reason value={decision.reason ?? ""} busy={busy} onChange={(reason) => onChange({ ...decision, reason })} />}
      {approval.remember.length > 0 && (
        <Remember scopes={approval.remember} chosen={decision.remember} changed={changed} busy={busy} onChange={(remember) => onChange({ ...decision, remember })} />
      )}
      {tried && wrong && (
        <p className="problem" role="alert">
          These arguments do not fit the tool. Correct them, then approve.
        </p>
      )}
      <div className="row approval-buttons">
        <button type="button" className="button primary" aria-pressed={several ? decision.approved === true : undefined} disabled={busy} data-testid="approve" onMouseDown={stay} onClick={approve}>
          {changed ? "Approve with changes" : "Approve"}
        </button>
        <button type="button" className="button" aria-pressed={several ? decision.approved === false : undefined} disabled={busy} data-testid="decline" onMouseDown={stay} onClick={decline}>
          Decline
        </button>
      </div>
    </div>
  );
}

interface ArgumentsProps extends Pick<Props, "approval" | "decision" | "busy" | "onChange"> {
  edited: Edited | undefined;
  tried: boolean;
}

/** What the tool is called with, to be read or edited. */
function Arguments({ approval, decision, edited, tried, busy, onChange }: ArgumentsProps) {
  const { arguments: given, truncated, masked, schema } = approval;
  const box = useRef<HTMLElement>(null);
  const edit = useRef<HTMLButtonElement>(null);
  const editing = decision.editing === true && schema !== undefined;
  const open = () => {
    onChange({ ...decision, editing: true, approved: undefined, edited: decision.edited ?? { value: given } });
    box.current?.focus(); // the fields come next
  };
  const close = (edited: Decision["edited"]) => {
    flushSync(() => onChange({ ...decision, editing: false, edited }));
    edit.current?.focus();
  };
  return (
    <section className="approval-arguments" aria-label="Arguments" ref={box} tabIndex={-1} data-testid="approval-arguments">
      <h3>Arguments</h3>
      {editing ? (
        <SchemaForm
          schema={schema}
          value={decision.edited?.value}
          onChange={(value) => onChange({ ...decision, edited: { value } })}
          disabled={busy}
          showProblems={tried}
          label={`Arguments of ${visible(approval.tool)}`}
        />
      ) : given === undefined ? null : typeof given === "string" ? (
        <LongText text={given} />
      ) : (
        <Value value={edited?.arguments ?? given} changed={changedPaths(given, edited?.arguments ?? given)} />
      )}
      {truncated && (
        <p className="approval-note" data-testid="truncated">
          {given === undefined ? "The arguments cannot be shown." : "Only the beginning of the arguments is shown, because they are too long."} They cannot be edited.
        </p>
      )}
      {masked && (
        <p className="approval-note" data-testid="masked">
          Parts of the arguments are hidden: the tool is called with other values than these. They cannot be edited.
        </p>
      )}
      {edited && <Changes changes={edited.changes} />}
      {schema && (
        <div className="row">
          <button type="button" className="button small" ref={edit} aria-expanded={editing} disabled={busy} data-testid="edit" onMouseDown={stay} onClick={() => (editing ? close(decision.edited) : open())}>
            {editing ? "Close the form" : "Edit"}
          </button>
          {edited && (edited.changes.length > 0 || edited.problems.length > 0) && (
            <button type="button" className="button small quiet" disabled={busy} data-testid="undo-edit" onMouseDown={stay} onClick={() => close(undefined)}>
              Undo changes
            </button>
          )}
        </div>
      )}
    </section>
  );
}

/** The changed arguments, before and after. */
function Changes({ changes }: { changes: Change[] }) {
  if (changes.length === 0) return null;
  return (
    <div className="approval-changes" data-testid="approval-changes">
      <h4>Changed</h4>
      <ul>
        {changes.map(({ name, before, after }) => (
          <li key={name} data-name={name}>
            <span className="value-name"><Seen text={name} /></span> <span className="unseen">before:</span> <del><Seen text={brief(before)} /></del> <span aria-hidden="true">→</span> <span className="unseen">now:</span>{" "}
            <ins><Seen text={brief(after)} /></ins>
          </li>
        ))}
      </ul>
    </div>
  );
}

const MAX_BRIEF = 80;

function brief(value: unknown): string {
  if (value === undefined) return "nothing";
  const text = typeof value === "string" ? value : stringify(value);
  return text.length > MAX_BRIEF ? `${text.slice(0, MAX_BRIEF)}…` : text;
}

function Reason({ value, busy, onChange }: { value: string; busy: boolean; onChange: (reason: string) => void }) {
  const id = useId();
  return (
    <div className="approval-reason">
      <label htmlFor={id}>
        Reason <span className="muted">(optional, the agent is told it)</span>
      </label>
      <textarea id={id} className="field" rows={1} maxLength={MAX_REASON} value={value} disabled={busy} data-testid="approval-reason" onChange={(event) => onChange(event.target.value)} />
    </div>
  );
}

interface RememberProps {
  scopes: readonly ApprovalScope[];
  chosen: ApprovalScope | undefined;
  /** The arguments were changed: such an approval is of this call alone. */
  changed: boolean;
  busy: boolean;
  onChange: (scope: ApprovalScope | undefined) => void;
}

const scopeNames = { thread: "For this conversation", principal: "Always for me" };

function Remember({ scopes, chosen, changed, busy, onChange }: RememberProps) {
  const name = useId();
  const note = `${name}-note`;
  return (
    <fieldset className="approval-remember" disabled={busy || changed} aria-describedby={changed ? note : undefined} data-testid="approval-remember">
      <legend>Approve later calls of this tool, too</legend>
      <div className="row">
        {[undefined, ...scopes].map((scope) => (
          <label key={scope ?? "once"}>
            <input type="radio" name={name} value={scope ?? "once"} checked={(changed ? undefined : chosen) === scope} onChange={() => onChange(scope)} />
            {scope ? scopeNames[scope] : "Only this call"}
          </label>
        ))}
      </div>
      {changed && (
        <p className="muted" id={note}>
          With changed arguments only this call can be approved.
        </p>
      )}
    </fieldset>
  );
}
