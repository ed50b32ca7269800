import { IconArrow } from "../shell/icons";
import { useTalk } from "./context";

/** What an empty conversation shows: what this is, and ways to begin. */
export function Welcome() {
  const { agent, suggestions, send, mute } = useTalk();
  const travel = agent === "travel";
  return (
    <div className="welcome" data-testid="welcome">
      <h2>{travel ? "Where to next?" : `Talk to ${agent}`}</h2>
      <p>
        {travel
          ? "A small team plans your trip with you: one finds flights, one finds a place to stay, one knows the city. They ask, you choose."
          : "Write a message to begin. What the agent keeps in its shared state is shown beside the conversation."}
      </p>
      {suggestions.length > 0 && (
        <ul className="starters">
          {suggestions.map(({ title, message }) => (
            <li key={title}>
              <button type="button" className="starter" data-testid="starter" disabled={mute} onClick={() => send(message)}>
                <span>{title}</span>
                <IconArrow />
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
