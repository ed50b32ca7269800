import { IconAlert, IconRestart } from "../shell/icons";
import { OpenInspector } from "../past/FailedRun";
import { usePastOf } from "../past/usePast";
import { useTalk } from "./context";

/** Why the last turn failed, where its answer would have been, and a way to have it run again. */
export function Failed() {
  const { failure, asking, mute, regenerate } = useTalk();
  const { newest } = usePastOf();
  const again = () => {
    document.getElementById("chat")?.focus({ preventScroll: true }); // the button in hand is about to go
    regenerate?.();
  };
  if (!failure || asking) return null; // an open question says it itself
  return (
    <section className="failed" aria-label="The last turn failed" data-testid="failure" data-code={failure.code}>
      <IconAlert />
      <p>
        <strong>This turn failed.</strong> {failure.text} {failure.code && <code>{failure.code}</code>}
      </p>
      <span className="failed-actions">
        {regenerate && (
          <button type="button" className="button" disabled={mute} onClick={again}>
            <IconRestart /> Try again
          </button>
        )}
        {newest && <OpenInspector run={newest.number} />}
      </span>
    </section>
  );
}
