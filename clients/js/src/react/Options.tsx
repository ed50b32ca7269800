import { type ReactNode, useId, useMemo, useState } from "react";
import { isContainer } from "../form/exact.ts";
import { factsOf } from "../facts.ts";

interface Props {
  options: unknown[];
  /** The place of the one that was picked. */
  chosen: number | undefined;
  /** The place of the one that is recommended, if it is among them. */
  recommended: number;
  render: (option: unknown, index: number) => ReactNode;
}

const MANY = 30; // options that one looks through without looking for one
const STEP = 50; // of more, so many are shown at a time

/** What a question offers. Of a great many options some are shown, and there is a field to find others by. */
export function Options({ options, chosen, recommended, render }: Props) {
  const id = useId();
  const [sought, setSought] = useState("");
  const [most, setMost] = useState(STEP);
  const many = options.length > MANY;
  const texts = useMemo(() => (many ? options.map(textOf) : []), [many, options]);
  const words = sought.toLowerCase().split(/\s+/).filter(Boolean);
  const found = options.map((_, i) => i).filter((i) => words.every((word) => texts[i]!.includes(word)));
  const shown = many ? found.slice(0, most) : found;
  // The recommended option is visible unless there is a search, and picked ones always.
  for (const i of [words.length === 0 ? recommended : -1, chosen ?? -1]) if (i >= 0 && i < options.length && !shown.includes(i)) shown.unshift(i);
  return (
    <>
      {many && (
        <div className="options-find">
          <label htmlFor={id}>Find one of {options.length}</label>
          <input
            id={id}
            className="field"
            type="search"
            value={sought}
            data-testid="options-find"
            onChange={({ target }) => {
              setSought(target.value);
              setMost(STEP);
            }}
          />
          <p className="muted" role="status">
            {found.length === 0 ? "None has these words." : found.length > most ? `The first ${most} of ${found.length}.` : words.length > 0 ? `${found.length} found.` : ""}
          </p>
        </div>
      )}
      <ul className="options" data-compact={options.every((option) => !isContainer(option)) || undefined}>
        {shown.map((i) => (
          <li key={i}>{render(options[i], i)}</li>
        ))}
      </ul>
      {many && found.length > most && (
        <button type="button" className="button options-more" data-testid="options-more" onClick={() => setMost(most + STEP)}>
          Show more
        </button>
      )}
    </>
  );
}

/** What an option is found by. */
function textOf(option: unknown, index: number): string {
  const { title, facts } = factsOf(option, index);
  return [title, ...facts.map(({ value }) => value)].join(" ").toLowerCase();
}
