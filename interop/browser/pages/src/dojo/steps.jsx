import { useLangGraphInterrupt } from "@copilotkit/react-core";
import { useHumanInTheLoop } from "@copilotkit/react-core/v2";
import { useState } from "react";
import { z } from "zod";

/** A person chooses which steps of a plan are carried out: by a tool of the page, or by an interrupt of the agent. */
export function Steps() {
  useHumanInTheLoop({
    name: "generate_task_steps",
    description: "Makes up the steps of a task for the person to choose from",
    parameters: z.object({ steps: z.array(z.object({ description: z.string(), status: z.enum(["enabled", "disabled"]) })) }),
    render: ({ args, respond, status }) =>
      status === "executing" ? <Choice title="A tool of the page" steps={args.steps} answer={(steps) => respond({ accepted: true, steps })} /> : <p>Chosen</p>,
  });
  useLangGraphInterrupt({
    render: ({ event: { value }, resolve }) => (
      <Choice
        title="An interrupt"
        steps={(typeof value === "string" ? JSON.parse(value) : value).steps}
        answer={(steps) => resolve(`The user selected the following steps: ${steps.map(({ description }) => description).join(", ")}`)}
      />
    ),
  });
  return null;
}

function Choice({ title, steps, answer }) {
  const [off, setOff] = useState([]);
  const turn = (name) => setOff((off) => (off.includes(name) ? off.filter((other) => other !== name) : [...off, name]));
  return (
    <fieldset>
      <legend>{title}</legend>
      {steps.map(({ description }) => (
        <label key={description}>
          <input type="checkbox" checked={!off.includes(description)} onChange={() => turn(description)} />
          {description}
        </label>
      ))}
      <button onClick={() => answer(steps.filter(({ description }) => !off.includes(description)))}>Perform steps</button>
    </fieldset>
  );
}
