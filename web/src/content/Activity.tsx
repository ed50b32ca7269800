import { words } from "client/form/words";
import { IconAlert, IconCheck } from "../shell/icons";
import { type Step, shapeOf } from "./activity";
import { Seen } from "client/react/Seen";
import { Tree } from "./Tree";

/** An activity of any type: what can be read off it, and the rest as a folded tree. */
export function Activity({ type, content }: { type: string; content: unknown }) {
  const shape = shapeOf(content);
  const kind = words(type.toLowerCase());
  if (!shape) {
    return (
      <section className="activity" aria-label={kind} data-testid="activity" data-type={type}>
        <Tree name={kind} value={content ?? {}} />
      </section>
    );
  }
  const { title = kind, text, status, progress, steps, moreSteps, rest } = shape;
  return (
    <section className="activity" aria-label={title} data-testid="activity" data-type={type}>
      <p className="activity-title">
        <strong><Seen text={title} lines /></strong> {status && <span className="tag">{words(status)}</span>}
      </p>
      {text && <p><Seen text={text} lines /></p>}
      {progress !== undefined && <Progress of={title} progress={progress} />}
      {steps.length > 0 && (
        <ol className="activity-steps">
          {steps.map((step, i) => (
            <StepItem key={i} step={step} />
          ))}
          {moreSteps > 0 && <li className="muted">{moreSteps} more not shown</li>}
        </ol>
      )}
      {Object.keys(rest).length > 0 && <Tree name="Details" value={rest} />}
    </section>
  );
}

function Progress({ of, progress }: { of: string; progress: number }) {
  return (
    <p className="activity-progress">
      <progress value={progress} max={1} aria-label={`Progress: ${of}`} /> {Math.round(progress * 100)} %
    </p>
  );
}

const said = { done: "done", failed: "failed", running: "running", waiting: "not begun" };

function StepItem({ step }: { step: Step }) {
  return (
    <li data-doing={step.doing}>
      <span className="activity-mark" aria-hidden="true">
        {step.doing === "done" ? <IconCheck /> : step.doing === "failed" ? <IconAlert /> : step.doing === "running" ? "…" : "·"}
      </span>
      <span>
        <Seen text={step.text} lines />
        <span className="unseen">, {said[step.doing]}</span>
      </span>
    </li>
  );
}
