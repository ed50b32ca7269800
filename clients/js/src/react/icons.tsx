import type { ReactNode } from "react";

/** Makes an icon of shapes on a 20 by 20 grid. It decorates a name that is there as text or label. */
export function icon(...paths: ReactNode[]) {
  return function Icon() {
    return (
      <svg viewBox="0 0 20 20" width="1.15em" height="1.15em" fill="none" stroke="currentColor" strokeWidth="1.6" strokeLinecap="round" strokeLinejoin="round" aria-hidden="true" focusable="false">
        {paths.map((path, i) => (
          <g key={i}>{path}</g>
        ))}
      </svg>
    );
  };
}

/** A line of an icon. */
export const path = (d: string) => <path d={d} />;

export const IconCheck = icon(path("M4 10.500l4 4 8-9"));
export const IconStar = icon(path("M10 3l2.100 4.400 4.800.6-3.500 3.300.9 4.800L10 13.700 5.700 16.100l.9-4.800L3.100 8l4.800-.6z"));
