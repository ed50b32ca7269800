import { IconAlert, IconRestart } from "../shell/icons";
import { useTalk } from "./context";

/** Why the last turn failed, where its answer would have been, and a way to have it run again. */
export function Failed() {
  const { failure, asking, mute, regenerate } = useTalk();
  if (!failure || asking) return null; // an open question says it itself
  return (
    <section className="failed" aria-label="The last turn failed" data-testid="failure" data-code={failure.code}>
      <IconAlert />
      <p>
        <strong>This turn failed.</strong> {failure.text} {failure.code && <code>{failure.code}</code>}
      </p>
      {regenerate && (
        <button type="button" className="button" disabled={mute} onClick={regenerate}>
          <IconRestart /> Try again
        </button>
      )}
    </section>
  );
}
