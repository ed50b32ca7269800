import { type HTMLAttributes, useEffect, useRef } from "react";
import { parsePlace } from "../place";
import { select, useSelectedMessage } from "../selection";

/**
 * A message that is selected together with its row in the inspector: by a click while that is open. For the keyboard there is
 * a button in the message's toolbar.
 */
export function Selectable({ id, children, ...more }: HTMLAttributes<HTMLDivElement> & { id: string }) {
  const from = useSelectedMessage(id);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (from === "inspector") box.current?.scrollIntoView({ block: "nearest" });
  }, [from]);
  const choose = () => {
    if (!parsePlace(location.hash)?.dock || getSelection()?.isCollapsed === false) return; // somebody marks text to copy it
    select({ from: "chat", messageId: id });
  };
  return (
    <div {...more} ref={box} data-selected={(from && parsePlace(location.hash)?.dock !== undefined) || undefined} onClick={choose}>
      {children}
    </div>
  );
}
