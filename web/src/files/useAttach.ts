import { type ClipboardEvent, type DragEvent, useRef, useState } from "react";
import { useDraft } from "../drafts";
import { newID } from "../id";
import { useNotify } from "../shell/notices";
import { type Attachments, choose } from "./rules";

/** A file that a person wants to send. */
export interface Held {
  id: string;
  file: File;
  /** Why the gateway did not take it. */
  problem?: string;
}

const none: readonly Held[] = [];

/**
 * The files that wait to be sent on a thread: attached, dropped or pasted, as far as the agent takes them. They are found again when
 * the thread is, like the draft.
 */
export function useAttach(rules: Attachments | undefined, agent: string, thread: string) {
  const [held, setHeld] = useDraft<readonly Held[]>(`files ${agent}/${thread}`, none);
  const now = useRef(held);
  now.current = held;
  const [over, setOver] = useState(false);
  const notify = useNotify();

  const keep = (next: readonly Held[]) => {
    now.current = next;
    setHeld(next);
  };
  const add = (files: readonly File[]) => {
    if (files.length === 0) return;
    if (!rules) return notify({ kind: "info", text: "This agent takes no files." });
    const { taken, problems } = choose(files, rules, now.current.length);
    if (taken.length > 0) keep([...now.current, ...taken.map((file) => ({ id: newID(), file }))]);
    if (problems.length > 0) notify({ kind: "error", text: problems.slice(0, 5).join(" ") });
  };
  const remove = (id: string) => keep(now.current.filter((file) => file.id !== id));
  const carries = (event: DragEvent) => event.dataTransfer.types.includes("Files");

  return {
    held,
    over,
    add,
    remove,
    /** Takes all of them, to be sent. */
    takeAll: () => {
      const all = now.current;
      keep(none);
      return all;
    },
    /** Puts unsent files back, before those attached since. */
    giveBack: (files: readonly Held[]) => keep([...files, ...now.current]),
    on: {
      onDragOver: (event: DragEvent) => {
        if (!carries(event)) return;
        event.preventDefault(); // else the browser would leave the page for the file
        setOver(rules !== undefined);
      },
      onDragLeave: (event: DragEvent) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
      },
      onDrop: (event: DragEvent) => {
        if (!carries(event)) return;
        event.preventDefault();
        setOver(false);
        add([...event.dataTransfer.files]);
      },
      onPaste: (event: ClipboardEvent) => {
        const files = [...event.clipboardData.files];
        if (files.length === 0 || event.clipboardData.types.includes("text/plain")) return; // a table that is copied comes as a picture, too
        event.preventDefault();
        add(files);
      },
    },
  };
}
