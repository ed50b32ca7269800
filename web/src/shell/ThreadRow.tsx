import { type FormEvent, type KeyboardEvent, use, useEffect, useRef, useState } from "react";
import type { ThreadSummary } from "../gateway/types";
import { AgentsContext, useView } from "../views/useView";
import { IconBin, IconCheck, IconClose, IconFork, IconPen } from "./icons";
import { ago } from "./time";

const statusText: Record<ThreadSummary["status"], string> = {
  idle: "",
  running: "Working",
  interrupted: "", // its group says it
  failed: "Failed",
};

interface Props {
  thread: ThreadSummary;
  here: boolean;
  onVisit: () => void;
  onFork: () => void;
  onRename: (title: string) => Promise<void>;
  onRemove: () => Promise<void>;
}

/** A conversation in the list, and what can be done with it. */
export function ThreadRow({ thread, here, onVisit, onFork, onRename, onRemove }: Props) {
  const [mode, setMode] = useState<"show" | "rename" | "remove">("show");
  const { noun } = useView(thread.agent);
  const title = thread.title || `New ${noun}`;
  const status = statusText[thread.status];
  const several = use(AgentsContext).length > 1;
  if (mode === "rename") {
    const save = async (to: string) => {
      setMode("show");
      if (to && to !== title) await onRename(to);
    };
    return <Rename title={title} onSave={save} onCancel={() => setMode("show")} />;
  }
  if (mode === "remove") {
    return (
      <li className="thread asking" data-testid="thread" data-thread={thread.id}>
        <span>Delete “{title}”?</span>
        <span className="row">
          <button type="button" className="button danger" autoFocus data-testid="thread-delete-yes" onClick={() => void onRemove()}>
            Delete
          </button>
          <button type="button" className="button quiet" onClick={() => setMode("show")}>
            Keep
          </button>
        </span>
      </li>
    );
  }
  return (
    <li className="thread" data-here={here || undefined} data-testid="thread" data-thread={thread.id} data-agent={thread.agent} data-status={thread.status}>
      <button type="button" className="thread-open" aria-current={here ? "page" : undefined} onClick={onVisit}>
        <span className="thread-title">{title}</span>
        <span className="thread-meta">
          {status && <span className="tag" data-status={thread.status}>{status}</span>}
          {several && <span className="thread-agent">{thread.agent}</span>}
          <time dateTime={thread.updatedAt}>{ago(thread.updatedAt)}</time>
        </span>
      </button>
      <span className="thread-tools">
        <button type="button" className="icon-button small" aria-label={`Rename “${title}”`} title="Rename" data-testid="thread-rename" onClick={() => setMode("rename")}>
          <IconPen />
        </button>
        <button type="button" className="icon-button small" aria-label={`Copy “${title}” into a new ${noun}`} title={`Copy into a new ${noun}`} data-testid="thread-fork" onClick={onFork}>
          <IconFork />
        </button>
        <button type="button" className="icon-button small" aria-label={`Delete “${title}”`} title="Delete" data-testid="thread-delete" onClick={() => setMode("remove")}>
          <IconBin />
        </button>
      </span>
    </li>
  );
}

function Rename({ title, onSave, onCancel }: { title: string; onSave: (title: string) => Promise<void>; onCancel: () => void }) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.select(), []);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void onSave(input.current?.value.trim() ?? "");
  };
  const escape = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return;
    event.preventDefault(); // it is not for the drawer
    onCancel();
  };
  return (
    <li className="thread asking">
      <form className="row" onSubmit={submit} onKeyDown={escape}>
        <input ref={input} className="field" aria-label="New name" data-testid="thread-title" defaultValue={title} maxLength={120} autoFocus />
        <button type="submit" className="icon-button small" aria-label="Save the name">
          <IconCheck />
        </button>
        <button type="button" className="icon-button small" aria-label="Keep the old name" onClick={onCancel}>
          <IconClose />
        </button>
      </form>
    </li>
  );
}
