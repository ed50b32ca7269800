import { useEffect, useState } from "react";
import type { Highlighted } from "./highlight";

/** Longer code stays as it is: to colour it would take longer than people wait. */
const MAX_LENGTH = 50_000;

/** How long code has to be the same before it is coloured, because it comes piece by piece. */
const SETTLED_MS = 150;

/** The code in colours, once it is complete and they are there. */
export function useHighlighted(code: string, language: string): Highlighted | undefined {
  const [done, setDone] = useState<{ code: string; tree: Highlighted | undefined }>();
  useEffect(() => {
    if (language === "" || code.length > MAX_LENGTH) return;
    let gone = false;
    const timer = setTimeout(() => {
      import("./highlight").then(
        ({ highlight }) => gone || setDone({ code, tree: highlight(code, language) }),
        () => {}, // the gateway is away, and code can be read without colours
      );
    }, SETTLED_MS);
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [code, language]);
  return done?.code === code ? done.tree : undefined;
}
