// What CopilotKit is given for activities.

import type { CopilotKitProvider } from "@copilotkit/react-core/v2";
import type { ComponentProps } from "react";
import { Activity } from "./Activity";
import { Contained } from "./Contained";
import { Surface, surfaceType } from "./Surface";
import "./content.css";

type Renderer = NonNullable<ComponentProps<typeof CopilotKitProvider>["renderActivityMessages"]>[number];

/** Takes every content as it is: CopilotKit shows nothing of one that does not fit, and warns in the console. */
const anything = {
  "~standard": { version: 1, vendor: "gateway", validate: (value: unknown) => ({ value }) },
} as unknown as Renderer["content"];

const plain = (activityType: string): Renderer => ({
  activityType,
  content: anything,
  render: ({ message, content }) => (
    <Contained value={content}>
      <Activity type={(message as { activityType: string }).activityType} content={content} />
    </Contained>
  ),
});

const drawn: Renderer["render"] = (props) => (
  <Contained value={props.content}>
    <Surface {...props} />
  </Contained>
);

// CopilotKit shows the two named ones as HTML in frames, which this page does not run.
export const activities: Renderer[] = [{ activityType: surfaceType, content: anything, render: drawn }, plain("mcp-apps"), plain("open-generative-ui"), plain("*")];
