import { useFrontendTool } from "@copilotkit/react-core/v2";
import { useState } from "react";
import { z } from "zod";

/** Generative UI: a tool of the page draws what the model made up, in the chat and beside it. */
export function Haiku() {
  const [haikus, setHaikus] = useState([]);
  useFrontendTool({
    name: "generate_haiku",
    parameters: z.object({
      japanese: z.array(z.string()).describe("Three lines of a haiku in Japanese"),
      english: z.array(z.string()).describe("The same lines in English"),
    }),
    followUp: false,
    handler: async (haiku) => {
      setHaikus((haikus) => [haiku, ...haikus]);
      return "The haiku is shown.";
    },
    render: ({ args }) => <Card of={args} title="A haiku in the chat" />,
  });
  return (
    <section aria-label="Haikus">
      {haikus.map((haiku) => (
        <Card key={haiku.english.join()} of={haiku} title="A haiku beside it" />
      ))}
    </section>
  );
}

const Card = ({ of: { japanese = [], english = [] }, title }) => (
  <figure aria-label={title}>
    {japanese.map((line, i) => (
      <p key={line}>
        {line} {english[i]}
      </p>
    ))}
  </figure>
);
