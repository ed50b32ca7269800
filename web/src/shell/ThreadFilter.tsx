import { type KeyboardEvent, use } from "react";
import { AgentsContext } from "../views/useView";
import { useInbox } from "./inbox";

/** Where a person says which conversations they look for. */
export function ThreadFilter() {
  const { filter, setFilter, waiting, others, known } = useInbox();
  const agents = use(AgentsContext);
  const found = waiting.length + others.length;
  const escape = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || filter.text === "") return;
    event.preventDefault(); // it is not for the drawer
    setFilter({ ...filter, text: "" });
  };
  return (
    <div className="thread-filter" role="search" aria-label="Conversations">
      <input
        type="search"
        className="field"
        placeholder="Search"
        aria-label="Search conversations"
        data-testid="thread-search"
        maxLength={60}
        value={filter.text}
        onChange={(event) => setFilter({ ...filter, text: event.target.value })}
        onKeyDown={escape}
      />
      {agents.length > 1 && (
        <select className="field" aria-label="Agent whose conversations are listed" data-testid="thread-agent" value={filter.agent} onChange={(event) => setFilter({ ...filter, agent: event.target.value })}>
          <option value="">All agents</option>
          {agents.map(({ id }) => (
            <option key={id} value={id}>
              {id}
            </option>
          ))}
        </select>
      )}
      <p className="unseen" role="status">
        {known && filter.text.trim() !== "" ? `${found} found` : ""}
      </p>
    </div>
  );
}
