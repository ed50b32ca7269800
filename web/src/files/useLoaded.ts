import { useEffect, useState } from "react";
import { type Loaded, release, take } from "./blobs";
import type { FilePart } from "./parts";

export type Loading = { state: "waiting" } | { state: "loaded"; file: Loaded } | { state: "failed"; why: string };

/** The bytes of a file while a component shows it; nothing is loaded before wanted. */
export function useLoaded(path: string, part: FilePart, wanted = true): Loading {
  const [loading, setLoading] = useState<Loading>({ state: "waiting" });
  useEffect(() => {
    if (!wanted) return;
    let gone = false;
    take(path, part).then(
      (file) => gone || setLoading({ state: "loaded", file }),
      (error: unknown) => gone || setLoading({ state: "failed", why: error instanceof Error ? error.message : String(error) }),
    );
    return () => {
      gone = true;
      release(path);
    };
    // The part is not among these: the data that this tab has sent and the gateway's link to it are the same file.
  }, [path, wanted]);
  return loading;
}
