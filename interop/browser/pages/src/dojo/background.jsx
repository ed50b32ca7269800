import { useAgentContext, useFrontendTool } from "@copilotkit/react-core/v2";
import { useState } from "react";
import { z } from "zod";

/** A chat whose agent may call a tool of the page, and is told what the page knows. */
export function Background() {
  const [background, setBackground] = useState("none");
  useAgentContext({ description: "The name of the user", value: "Bob" });
  useFrontendTool({
    name: "change_background",
    description: "Changes the background of the chat.",
    parameters: z.object({ background: z.string().describe("The background, as CSS") }),
    handler: async ({ background }) => {
      setBackground(background);
      return { status: "success", message: `The background is ${background} now.` };
    },
  });
  return <p>Background: {background}</p>;
}
