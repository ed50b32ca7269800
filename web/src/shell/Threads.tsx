import { type FormEvent, type KeyboardEvent, useCallback, useEffect, useRef, useState } from "react";
import { deleteThread, forkThread, getThread, renameThread } from "../gateway/api";
import type { ThreadSummary } from "../gateway/types";
import { useFollow, useForget } from "../gateway/useFollow";
import { isFresh } from "../fresh";
import { goToThread } from "../place";
import { startThread } from "../start";
import { nounFor } from "../words";
import { useConnection } from "./connection";
import { IconBin, IconCheck, IconClose, IconFork, IconPen, IconPlus } from "./icons";
import { newestThreads, PAGE, statusOf, type ThreadList } from "./list";
import { useAttempt } from "./notices";
import { ago } from "./time";

interface Props {
  agent: string;
  thread: string;
  /** On a narrow screen the list is a drawer. */
  open: boolean;
  onClose: () => void;
}

const statusText: Record<ThreadSummary["status"], string> = {
  idle: "",
  running: "working",
  interrupted: "waits for you",
  failed: "failed",
};

export function Threads({ agent, thread, open, onClose }: Props) {
  const { threads, more, refresh, loadMore } = useThreads(agent, thread);
  const attempt = useAttempt();
  const forget = useForget();
  const noun = nounFor(agent);
  const list = useRef<HTMLElement>(null);

  useEffect(() => {
    if (!open) return;
    const before = document.activeElement;
    list.current?.focus();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, [open]);

  const visit = (id: string) => {
    goToThread(agent, id);
    onClose();
  };
  const create = () => {
    startThread(agent);
    onClose();
  };
  const fork = (id: string) =>
    void attempt(`This ${noun} could not be copied`, async () => {
      const last = (await getThread(id, agent)).messages.at(-1);
      if (last) visit(await forkThread(id, agent, last.id));
    });
  const rename = async (id: string, title: string) => {
    await attempt("The name could not be changed", () => renameThread(id, agent, title));
    refresh();
  };
  const remove = async (id: string) => {
    if (id === thread) {
      startThread(agent, { replace: true });
      await new Promise((left) => setTimeout(left, 50)); // so that nobody asks for what is no longer there
    }
    forget(agent, id);
    await attempt(`This ${noun} could not be deleted`, () => deleteThread(id, agent));
    refresh();
  };

  return (
    <>
      {open && <button type="button" className="shade" aria-label={`Close the list of ${noun}s`} onClick={onClose} />}
      <nav
        className="threads"
        id="threads"
        ref={list}
        tabIndex={-1}
        aria-label={noun === "plan" ? "Plans" : "Conversations"}
        data-open={open || undefined}
        data-testid="thread-list"
      >
        <button type="button" className="button new-thread" data-testid="new-thread" onClick={create}>
          <IconPlus /> New {noun}
        </button>
        {threads.length === 0 ? (
          <p className="threads-empty">{noun === "plan" ? "What you plan is kept here." : "What you talk about is kept here."}</p>
        ) : (
          <ul>
            {threads.map((t) => (
              <Row key={t.id} thread={t} here={t.id === thread} onVisit={visit} onFork={fork} onRename={rename} onRemove={remove} />
            ))}
          </ul>
        )}
        {more && (
          <button type="button" className="button quiet" onClick={loadMore}>
            Show older {noun}s
          </button>
        )}
      </nav>
    </>
  );
}

// How long the list is waited for that is behind what was seen of the thread itself: it is eventually right.
const BEHIND_MS = [250, 1000, 4000];

/** The list, asked for again when something may have changed it. */
function useThreads(agent: string, thread: string) {
  const { epoch, suspect } = useConnection();
  const { view, status } = useFollow(agent, thread, { fresh: isFresh(thread) });
  const [{ threads, more }, setList] = useState<ThreadList>({ threads: [], more: false });
  const [count, setCount] = useState(PAGE);
  const [again, setAgain] = useState(0);
  const refresh = useCallback(() => setAgain((n) => n + 1), []);
  const loadMore = useCallback(() => setCount((n) => n + PAGE), []);

  // What is known of the thread itself; a run that began and ended between two looks is a run all the same.
  const expected = status === "open" && view.runs.length > 0 ? statusOf(view) : undefined;
  const runs = `${view.runCount} ${view.replays}`;
  useEffect(() => {
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout>;
    const look = (tries: number) => {
      newestThreads(agent, count, { signal: abort.signal }).then(
        (list) => {
          setList(list);
          const behind = expected && list.threads.find(({ id }) => id === thread)?.status !== expected;
          if (behind && tries < BEHIND_MS.length) timer = setTimeout(() => look(tries + 1), BEHIND_MS[tries]);
        },
        (error: unknown) => abort.signal.aborted || suspect(error),
      );
    };
    timer = setTimeout(() => look(0), 120); // several changes at once are one
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [agent, thread, count, epoch, expected, runs, again, suspect]);

  useEffect(() => {
    const shown = () => document.visibilityState === "visible" && refresh();
    document.addEventListener("visibilitychange", shown);
    return () => document.removeEventListener("visibilitychange", shown);
  }, [refresh]);
  return { threads, more, refresh, loadMore };
}

interface RowProps {
  thread: ThreadSummary;
  here: boolean;
  onVisit: (id: string) => void;
  onFork: (id: string) => void;
  onRename: (id: string, title: string) => Promise<void>;
  onRemove: (id: string) => Promise<void>;
}

function Row({ thread, here, onVisit, onFork, onRename, onRemove }: RowProps) {
  const [mode, setMode] = useState<"show" | "rename" | "remove">("show");
  const noun = nounFor(thread.agent);
  const title = thread.title || `New ${noun}`;
  const status = statusText[thread.status];
  if (mode === "rename") {
    const save = async (to: string) => {
      setMode("show");
      if (to && to !== title) await onRename(thread.id, to);
    };
    return <Rename title={title} onSave={save} onCancel={() => setMode("show")} />;
  }
  if (mode === "remove") {
    return (
      <li className="thread asking" data-testid="thread" data-thread={thread.id}>
        <span>Delete “{title}”?</span>
        <span className="row">
          <button type="button" className="button danger" autoFocus data-testid="thread-delete-yes" onClick={() => void onRemove(thread.id)}>
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
    <li className="thread" data-here={here || undefined} data-testid="thread" data-thread={thread.id} data-status={thread.status}>
      <button type="button" className="thread-open" aria-current={here ? "page" : undefined} onClick={() => onVisit(thread.id)}>
        <span className="thread-title">{title}</span>
        <span className="thread-meta">
          {status && <span className="tag" data-status={thread.status}>{status}</span>}
          <time dateTime={thread.updatedAt}>{ago(thread.updatedAt)}</time>
        </span>
      </button>
      <span className="thread-tools">
        <button type="button" className="icon-button small" aria-label={`Rename “${title}”`} title="Rename" data-testid="thread-rename" onClick={() => setMode("rename")}>
          <IconPen />
        </button>
        <button type="button" className="icon-button small" aria-label={`Copy “${title}” into a new ${noun}`} title={`Copy into a new ${noun}`} data-testid="thread-fork" onClick={() => onFork(thread.id)}>
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
