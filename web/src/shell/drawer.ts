// The list of threads on a narrow window: a drawer over the page.

import { useCallback, useEffect, useState } from "react";
import type { Place } from "../place";

const WIDE = "(min-width: 1100.02px)"; // above the drawer's media query in threads.css

/** Whether the drawer is open, and how to open and close it. Going to another place and a window without drawer close it. */
export function useDrawer(place: Place | undefined): [boolean, () => void, () => void] {
  const at = place && `${place.agent}/${place.thread}`;
  const [openAt, setOpenAt] = useState<{ at: string | undefined }>();
  const open = openAt !== undefined && openAt.at === at;
  const close = useCallback(() => setOpenAt(undefined), []);

  useEffect(() => {
    if (!open) return close();
    const escape = (event: KeyboardEvent) => event.key === "Escape" && !event.defaultPrevented && close();
    const wide = matchMedia(WIDE);
    document.addEventListener("keydown", escape);
    wide.addEventListener("change", close);
    return () => {
      document.removeEventListener("keydown", escape);
      wide.removeEventListener("change", close);
    };
  }, [open, close]);
  return [open, () => setOpenAt({ at }), close];
}
