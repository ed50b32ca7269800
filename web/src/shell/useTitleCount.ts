import { useEffect } from "react";

const counted = /^\(\d+\) /;

/** The window's title with a count before it. */
export const withCount = (title: string, count: number): string => (count > 0 ? `(${count}) ` : "") + title.replace(counted, "");

/** Keeps a count before the window's title, whoever sets that. */
export function useTitleCount(count: number) {
  useEffect(() => {
    const set = () => {
      const title = withCount(document.title, count);
      if (title !== document.title) document.title = title;
    };
    set();
    const observer = new MutationObserver(set);
    observer.observe(document.head, { subtree: true, childList: true, characterData: true });
    return () => observer.disconnect();
  }, [count]);
}
