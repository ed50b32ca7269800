import { lazy } from "react";
import { words } from "client/form/words";
import type { View } from "../view";

const StatePanel = lazy(() => import("./StatePanel"));

const isEmpty = (state: unknown) => typeof state !== "object" || state === null || Object.keys(state).length === 0;

/** The view of every agent without a special one. */
export const plain: View = {
  suits: () => true,
  name: ({ id }) => words(id),
  noun: "conversation",
  emptyList: "What you talk about is kept here.",
  placeholder: "Write a message",
  welcome: ({ id, description }) => ({ title: words(id), text: description || "Write a message to begin." }),
  panel: { label: "State", Panel: StatePanel, isEmpty },
};
