// The context of the parts of a conversation that CopilotKit renders, because it passes on no props of ours.

import { createContext, useContext } from "react";
import type { Attachments } from "../files/rules";
import type { Interrupt, Reason } from "client/types";
import type { Suggestion } from "../views/view";

export interface Talk {
  /** The agent's id. */
  agent: string;
  thread: string;
  /** Which files the agent takes; absent if none. */
  attachments: Attachments | undefined;
  /** Says something as the person. */
  send: (text: string) => void;
  /** How many messages and answers the person has submitted here. */
  submissions: number;
  /** Counts one that was submitted by other means than send and regenerate. */
  submitted: () => void;
  /** Runs the last turn again; undefined while there is none to run again. */
  regenerate: (() => void) | undefined;
  /** Starts a separate plan from the conversation up to a message. */
  fork: (messageId: string) => void;
  /** A question is open: it has to be answered before the next message. */
  asking: boolean;
  /** A message is tried as the answer to the open question. */
  typing: boolean;
  /** Nothing can be sent now. */
  mute: boolean;
  /** The open questions as the thread has them. CopilotKit's copy may have rounded numbers. */
  open: readonly Interrupt[];
  /** The ids of the expired questions. */
  expired: ReadonlySet<string>;
  /** What became of the last answer to the open questions, if they are still open. */
  refusal: Reason | undefined;
  /** Why the last turn failed, while no other is under way. */
  failure: Reason | undefined;
  /** Puts the keyboard's focus on the open question. */
  showQuestion: () => void;
  suggestions: Suggestion[];
  /** Suggestions are on their way. */
  suggesting: boolean;
  /** The gateway no longer knows this thread. */
  deleted: boolean;
}

export const TalkContext = createContext<Talk | undefined>(undefined);

export function useTalk(): Talk {
  const talk = useContext(TalkContext);
  if (!talk) throw new Error("useTalk outside of a conversation");
  return talk;
}

/** The name of the working agent; empty if unknown. */
export const WorkingContext = createContext("");

/** Whether the conversation's history is still on its way. */
export const ConnectingContext = createContext(false);
