import { useRenderTool } from "@copilotkit/react-core/v2";
import { z } from "zod";

/** A tool of the server whose call and result the page draws. */
export function Weather() {
  useRenderTool({
    name: "get_weather",
    parameters: z.object({ location: z.string() }),
    render: ({ args, parameters = args, result, status }) => {
      if (status !== "complete") return <p>Asking for the weather in {parameters?.location}</p>;
      const { temperature, conditions } = typeof result === "string" ? JSON.parse(result) : result;
      return (
        <p data-testid="weather-card">
          {parameters.location}: {temperature}°, {conditions}
        </p>
      );
    },
  });
  return null;
}
