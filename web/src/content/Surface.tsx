import { createA2UIMessageRenderer } from "@copilotkit/react-core/v2";
import type { ComponentProps } from "react";
import { catalogue } from "./catalogue";
import { NotDrawn } from "./Contained";
import { drawable } from "./surfaces";
import { Tree } from "./Tree";

const renderer = createA2UIMessageRenderer({ theme: {} as never, catalog: catalogue, loadingComponent: Building });
const Drawn = renderer.render;

/** The type of the activities that are surfaces. */
export const surfaceType = renderer.activityType;

/**
 * A surface, drawn by CopilotKit's renderer, or what becomes of one that is not there yet. For that CopilotKit has a placeholder
 * because the content security policy forbids its animation.
 */
export function Surface(props: ComponentProps<typeof Drawn>) {
  const { a2ui_operations: operations, status, ...more } = (props.content ?? {}) as Record<string, unknown>;
  if (status === "failed") return <Failed about={more} />;
  if (!Array.isArray(operations) || operations.length === 0) return <Building again={status === "retrying"} />;
  if (!drawable(operations)) return <NotDrawn value={props.content} />;
  return (
    <div className="surface" data-testid="surface">
      <Drawn {...props} content={props.content} />
    </div>
  );
}

function Building({ again = false }: { again?: boolean }) {
  return (
    <p className="surface-status" role="status" data-testid="surface-building">
      {again ? "Building the interface, another try…" : "Building the interface…"}
    </p>
  );
}

function Failed({ about }: { about: Record<string, unknown> }) {
  return (
    <div className="activity" role="group" aria-label="Interface that could not be built" data-testid="surface-failed">
      <p>The agent could not build this interface. You can go on, or ask for it again.</p>
      {Object.keys(about).length > 0 && <Tree name="Details" value={about} />}
    </div>
  );
}
