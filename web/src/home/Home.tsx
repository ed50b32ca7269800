import { use, useEffect, useState } from "react";
import { useTalk } from "../chat/context";
import { speakerName } from "client/react/speaker";
import { SpeakerSign } from "../chat/Speaker";
import { showCapabilities } from "../gateway/api";
import type { Capabilities } from "../gateway/types";
import { IconArrow, IconCheck } from "../shell/icons";
import { useAgentInfo, ViewContext } from "../views/useView";
import { abilitiesOf } from "./abilities";
import "./home.css";

/** How many starters there are at most. */
const MAX_STARTERS = 6;

/** What an empty conversation shows: who this is, ways to begin, and what the agent can do. */
export function Home() {
  const { agent, suggestions, suggesting, send, mute } = useTalk();
  const info = useAgentInfo(agent);
  const { title, text } = use(ViewContext).welcome(info);
  const abilities = abilitiesOf(info, useCapabilities(agent));
  return (
    <div className="welcome" data-testid="welcome">
      <h2>{title}</h2>
      <p>{text}</p>
      {info.participants.length > 0 && (
        <ul className="home-team" aria-label="Who takes part" data-testid="home-team">
          {info.participants.map(({ name }) => (
            <li key={name}>
              <SpeakerSign name={name} />
              {speakerName(name)}
            </li>
          ))}
        </ul>
      )}
      {(suggestions.length > 0 || suggesting) && (
        <ul className="starters" aria-label="Ways to begin" aria-busy={suggesting}>
          {suggestions.slice(0, MAX_STARTERS).map(({ title, message }) => (
            <li key={`${title} ${message}`}>
              <button type="button" className="starter" data-testid="starter" disabled={mute} onClick={() => send(message)}>
                <span>{title}</span>
                <IconArrow />
              </button>
            </li>
          ))}
          {suggestions.length === 0 && <li className="bone wide" />}
        </ul>
      )}
      {abilities.length > 0 && (
        <section className="abilities" aria-labelledby="abilities-title" data-testid="abilities">
          <h3 id="abilities-title">What it can do</h3>
          <ul>
            {abilities.map((ability) => (
              <li key={ability}>
                <IconCheck /> {ability}
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

/** The abilities of the agent. They are requested once; while they are unknown nothing is claimed. */
function useCapabilities(agent: string): Capabilities {
  const [can, setCan] = useState<Capabilities>({});
  useEffect(() => {
    const abort = new AbortController();
    showCapabilities(agent, { signal: abort.signal }).then(setCan, () => {});
    return () => abort.abort();
  }, [agent]);
  return can;
}
