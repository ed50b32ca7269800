import type { ReactNode } from "react";
import { useTalk } from "../../chat/context";
import { IconArrow, IconBed, IconCheck, IconFork2, IconPin, IconPlane, IconRestart, IconSpark } from "../../shell/icons";
import type { PanelProps } from "../view";
import { readTrip, type Stage, stages } from "./trip";
import "./plan.css";

/** The plan: destination, progress, and settled choices. */
export default function Itinerary({ state }: PanelProps) {
  const trip = readTrip(state);
  const { send, asking, mute } = useTalk();
  const begun = trip.step !== "start";
  return (
    <section className="card itinerary" aria-labelledby="itinerary-title" data-testid="itinerary" data-step={trip.step}>
      <header>
        <h2 id="itinerary-title" className="unseen">
          Your trip
        </h2>
        {trip.origin || trip.destination ? (
          <p className="route" data-testid="route">
            <span>{trip.origin ?? "?"}</span>
            <span className="route-line" aria-hidden="true" />
            <span className="unseen">to</span>
            <span>{trip.destination ?? "?"}</span>
          </p>
        ) : (
          <p className="route nowhere" data-testid="route">
            No route yet
          </p>
        )}
      </header>
      <Progress all={stages(trip)} />
      {!begun && <p className="muted pad">Nothing is booked yet. What you choose appears here, as you choose it.</p>}
      {trip.flight && (
        <Piece kind="flight" icon={<IconPlane />} label="Flight" title={trip.flight.airline} price={trip.flight.price}>
          <p>
            {trip.flight.departure && trip.flight.arrival && <FromTo from={trip.flight.departure} to={trip.flight.arrival} />}
            {trip.flight.duration && <span className="after-dot">{trip.flight.duration}</span>}
          </p>
        </Piece>
      )}
      {trip.hotel && (
        <Piece kind="hotel" icon={<IconBed />} label="Hotel" title={trip.hotel.name} price={trip.hotel.pricePerNight}>
          <p>{[trip.hotel.location, trip.hotel.rating].filter(Boolean).join(" · ")}</p>
        </Piece>
      )}
      {begun && trip.experiences.length > 0 && (
        <div className="experiences" data-testid="experiences">
          <h3>
            <IconSpark /> Experiences
          </h3>
          <ul>
            {trip.experiences.map(({ name, kind, description, location }) => (
              <li key={name} data-kind={kind}>
                <p className="experience-name">
                  {kind === "restaurant" ? <IconFork2 /> : <IconPin />}
                  <span className="unseen">{kind === "restaurant" ? "Restaurant: " : "Activity: "}</span>
                  {name}
                </p>
                {description && <p className="muted">{description}</p>}
                {location && <p className="place">{location}</p>}
              </li>
            ))}
          </ul>
        </div>
      )}
      {trip.complete && !asking && (
        <footer>
          <p className="ready">
            <IconCheck /> Your plan is ready
          </p>
          <button type="button" className="button" data-testid="start-over" disabled={mute} onClick={() => send("Start over")}>
            <IconRestart /> Start over
          </button>
        </footer>
      )}
    </section>
  );
}

/** "Amsterdam (AMS)" to "San Francisco (SFO)" is AMS to SFO: the cities are in the title already. */
function FromTo({ from, to }: { from: string; to: string }) {
  const [a, b] = [from, to].map((place) => /\(([A-Z]{3})\)$/.exec(place)?.[1]);
  const short = a && b;
  return (
    <span title={short && `${from} to ${to}`}>
      {short ? a : from} <IconArrow /> <span className="unseen">to</span> {short ? b : to}
    </span>
  );
}

function Progress({ all }: { all: Stage[] }) {
  return (
    <ol className="progress" aria-label="Progress of the plan" data-testid="progress">
      {all.map(({ name, label, status, detail }) => (
        <li key={name} data-stage={name} data-status={status} aria-current={status === "now" ? "step" : undefined}>
          <span className="progress-sign" aria-hidden="true">
            {status === "done" && <IconCheck />}
          </span>
          <span className="progress-label">{label}</span>
          <span className="unseen">: {status === "done" ? `done, ${detail}` : detail}</span>
        </li>
      ))}
    </ol>
  );
}

interface PieceProps {
  kind: string;
  icon: ReactNode;
  label: string;
  title: string;
  price: string | undefined;
  children: ReactNode;
}

function Piece({ kind, icon, label, title, price, children }: PieceProps) {
  return (
    <article className="piece" data-testid={`booked-${kind}`} aria-label={`${label}: ${title}`}>
      <span className="piece-icon" aria-hidden="true">
        {icon}
      </span>
      <div className="piece-text">
        <p className="piece-label">{label}</p>
        <h3>{title}</h3>
        {children}
      </div>
      {price && <p className="piece-price">{price}</p>}
    </article>
  );
}
