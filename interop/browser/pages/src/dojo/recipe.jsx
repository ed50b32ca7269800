import { UseAgentUpdate, useAgent } from "@copilotkit/react-core/v2";
import { useEffect } from "react";

const first = { title: "My recipe", ingredients: [{ name: "Carrots", amount: "3" }], instructions: ["Heat the oven."] };

/** A recipe that both the page and the agent change. */
export function Recipe({ agent: agentId }) {
  const { agent } = useAgent({ agentId, updates: [UseAgentUpdate.OnStateChanged] });
  const recipe = agent.state?.recipe;
  useEffect(() => {
    if (!recipe) agent.setState({ recipe: first });
  }, [recipe, agent]);
  const add = () => agent.setState({ recipe: { ...recipe, ingredients: [...recipe.ingredients, { name: "Potatoes", amount: "12" }] } });
  return (
    <section aria-label="Recipe">
      <h2>{recipe?.title}</h2>
      <ul>
        {recipe?.ingredients?.map(({ name, amount }) => (
          <li key={name}>
            {name}: {amount}
          </li>
        ))}
      </ul>
      <ol>{recipe?.instructions?.map((line) => <li key={line}>{line}</li>)}</ol>
      <button onClick={add}>Add potatoes</button>
    </section>
  );
}
