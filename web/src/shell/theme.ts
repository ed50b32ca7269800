// Light or dark: the system's choice until the person makes one, which is remembered.

import { useSyncExternalStore } from "react";

export type Theme = "light" | "dark";

const KEY = "theme";
const dark = matchMedia("(prefers-color-scheme: dark)");
const listeners = new Set<() => void>();

let unstored: Theme | undefined; // the choice if nothing can be stored, until the page is closed

function chosen(): Theme | undefined {
  try {
    const theme = localStorage.getItem(KEY);
    return theme === "light" || theme === "dark" ? theme : unstored;
  } catch {
    return unstored;
  }
}

let current: Theme = chosen() ?? (dark.matches ? "dark" : "light");

/** Puts the theme on the document: ours reads data-theme, CopilotKit's style sheet the class dark. */
export function applyTheme() {
  current = chosen() ?? (dark.matches ? "dark" : "light");
  document.documentElement.dataset.theme = current;
  document.documentElement.classList.toggle("dark", current === "dark");
  for (const listener of listeners) listener();
}

dark.addEventListener("change", applyTheme);
addEventListener("storage", (event) => event.key === KEY && applyTheme());

export function chooseTheme(theme: Theme) {
  unstored = theme;
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // Storage is full or forbidden.
  }
  applyTheme();
}

export function useTheme(): Theme {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => current,
  );
}
