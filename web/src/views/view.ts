// What the page shows differently for one kind of agent. docs/views.md says how to add a view.

import type { ComponentType } from "react";
import type { AgentInfo } from "../gateway/types";

/** Something a person may want to say next. */
export interface Suggestion {
  title: string;
  message: string;
}

/** The colour and the icon of a speaker, beside its name. */
export interface Sign {
  /** A tone of the theme: chat/chat.css has the colours. */
  tone: string;
  Icon: ComponentType;
}

export interface PanelProps {
  agent: AgentInfo;
  thread: string;
  /** The thread's shared state, as the agent keeps it: anything. */
  state: unknown;
}

export interface View {
  /** Whether the view is made for an agent, by what GET /agents says of it. */
  suits: (agent: AgentInfo) => boolean;
  /** What people call the agent: in the header and in the window's title. */
  name: (agent: AgentInfo) => string;
  /** What people call a thread of the agent, such as "plan". */
  noun: string;
  /** What the list of threads says while it is empty. */
  emptyList: string;
  /** What the message field says while it is empty. */
  placeholder: string;
  /** What an empty conversation begins with. */
  welcome: (agent: AgentInfo) => { title: string; text: string };
  /** The panel beside the conversation. It is folded if it is empty, unless the agent is a team. */
  panel: { label: string; Panel: ComponentType<PanelProps>; isEmpty?: (state: unknown) => boolean };
  /** What the person may want to say next, by the state; absent: what the agent itself suggests. */
  suggest?: (state: unknown) => Suggestion[];
  /** What a thread is about, for the window's title. */
  subject?: (state: unknown) => string | undefined;
  /** The sign of a speaker; undefined: the sign that all views have for it. */
  sign?: (speaker: string) => Sign | undefined;
}
