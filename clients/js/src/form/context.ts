// What the parts of a form need, which the form library renders and passes on no props of ours to.

import type { FormContextType, Registry } from "@rjsf/utils";

export interface Said extends FormContextType {
  /** What to say of the parts, by their JSON pointers. The library shows a part again if this has changed. */
  texts: Record<string, string>;
  /** The person has left the part. */
  leave: (path: string) => void;
}

/** The context of a part of the form. */
export const said = (registry: Registry): Said => registry.formContext as Said;

/** The JSON pointer of a part. */
export const pointerOf = (path: readonly (string | number)[]): string =>
  path.map((key) => `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");

/** The texts that describe a control: its description and its problem. */
export const describedBy = (id: string): string => `${id}-about ${id}-problem`;
