import { useEffect, useId, useRef } from "react";
import { deleteThread, forkThread, getThread, renameThread } from "../gateway/api";
import type { ThreadSummary } from "../gateway/types";
import { useForget } from "../gateway/useFollow";
import { goToThread } from "../place";
import { startThread } from "../start";
import { useView } from "../views/useView";
import { IconPlus } from "./icons";
import { useInbox } from "./inbox";
import { useAttempt } from "./notices";
import { ThreadFilter } from "./ThreadFilter";
import { ThreadRow } from "./ThreadRow";
import { showQuestion } from "./WaitingButton";

interface Props {
  agent: string;
  thread: string;
  /** On a narrow screen the list is a drawer. */
  open: boolean;
  onClose: () => void;
}

/** The person's conversations with all agents: those that need an answer first, then the newest. */
export function Threads({ agent, thread, open, onClose }: Props) {
  const { waiting, others, more, known, filter, loadMore } = useInbox();
  const { noun, emptyList } = useView(agent);
  const list = useRef<HTMLElement>(null);
  const title = useId();
  const searching = filter.text.trim() !== "";
  const empty = waiting.length + others.length === 0;

  useEffect(() => {
    if (!open) return;
    const before = document.activeElement;
    list.current?.focus();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, [open]);

  const here = (t: ThreadSummary) => t.id === thread && t.agent === agent;
  const create = () => {
    startThread(agent);
    onClose();
  };
  const rows = (threads: ThreadSummary[]) => threads.map((t) => <Actions key={`${t.agent}/${t.id}`} thread={t} here={here(t)} onClose={onClose} />);
  return (
    <>
      {open && <button type="button" className="shade" aria-label="Close the list of conversations" onClick={onClose} />}
      <nav className="threads" id="threads" ref={list} tabIndex={-1} aria-label="Conversations" data-open={open || undefined} data-testid="thread-list">
        <button type="button" className="button new-thread" data-testid="new-thread" onClick={create}>
          <IconPlus /> New {noun}
        </button>
        <ThreadFilter />
        {waiting.length > 0 && (
          <section aria-labelledby={title} data-testid="threads-waiting">
            <h2 className="threads-title" id={title}>
              Needs your answer <span className="count">{waiting.length}</span>
            </h2>
            <ul>{rows(waiting)}</ul>
          </section>
        )}
        {others.length > 0 && <ul data-testid="threads-others">{rows(others)}</ul>}
        {empty && (searching || filter.agent !== "" ? known && <p className="threads-empty">{more ? "Nothing found among the newest." : "Nothing found."}</p> : <p className="threads-empty">{emptyList}</p>)}
        {more && (
          <button type="button" className="button quiet" data-testid="threads-older" onClick={loadMore}>
            {searching ? "Search older conversations" : "Show older conversations"}
          </button>
        )}
      </nav>
    </>
  );
}

/** A row with the actions for its thread. */
function Actions({ thread, here, onClose }: { thread: ThreadSummary; here: boolean; onClose: () => void }) {
  const { id, agent } = thread;
  const { noun } = useView(agent);
  const { refresh } = useInbox();
  const attempt = useAttempt();
  const forget = useForget();
  const visit = (to: string) => {
    goToThread(agent, to);
    onClose();
    if (here && to === id) showQuestion();
  };
  const fork = () =>
    void attempt(`This ${noun} could not be copied`, async () => {
      const last = (await getThread(id, agent, { messages: 1 })).messages.at(-1);
      if (last) visit(await forkThread(id, agent, last.id));
    });
  const rename = async (title: string) => {
    await attempt("The name could not be changed", () => renameThread(id, agent, title));
    refresh();
  };
  const remove = async () => {
    if (here) {
      startThread(agent, { replace: true });
      await new Promise((left) => setTimeout(left, 50)); // so that no request is sent for a deleted thread
    }
    forget(agent, id);
    await attempt(`This ${noun} could not be deleted`, () => deleteThread(id, agent));
    refresh();
  };
  return <ThreadRow thread={thread} here={here} onVisit={() => visit(id)} onFork={fork} onRename={rename} onRemove={remove} />;
}
