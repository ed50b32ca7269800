// A team as a picture: its members from left to right and top to bottom, and their handoffs.

import type { Team } from "../../gateway/types";

export const [WIDTH, HEIGHT] = [140, 46]; // of a box
const [COLUMN, ROW] = [WIDTH + 38, HEIGHT + 16]; // from one to the next
const ARC = 16; // how far an arrow between neighbours bends out, for each row between them

export interface Box {
  /** The names from the top down, joined by dots, as steps and messages have them; empty for the agent itself. */
  path: string;
  name: string;
  description?: string | undefined;
  kind?: string | undefined;
  x: number;
  y: number;
  /** It speaks first where the speakers choose. */
  start: boolean;
  handsOverTo: readonly string[];
}

export interface Line {
  from: string;
  to: string;
  /** The path of an SVG. */
  d: string;
  /** team: is part of. calls: asks as a tool. handover: may hand over to; both: and back. */
  kind: "team" | "calls" | "handover";
  both: boolean;
}

export interface Picture {
  boxes: Box[];
  lines: Line[];
  width: number;
  height: number;
  /** Teams in which everybody may hand over to everybody, by path: their arrows would say nothing else. */
  everybody: string[];
}

/** The picture of an agent's team. */
export function pictureOf(agent: string, team: Team): Picture {
  const boxes: Box[] = [];
  const lines: Line[] = [];
  const everybody: string[] = [];
  let row = 0;
  let width = 0;

  const place = (name: string, path: string, member: Team, level: number, start: boolean): Box => {
    const parts = member.participants ?? [];
    const all = parts.length > 2 && parts.every(({ handsOverTo = [] }) => handsOverTo.length === parts.length - 1);
    if (all) everybody.push(path);
    // The arrows between the parts bend out on their right, before the column of their members.
    const box: Box = { path, name, description: member.description, kind: member.kind, x: level * COLUMN, y: 0, start, handsOverTo: member.handsOverTo ?? [] };
    boxes.push(box);
    const inside = parts.map((part) => place(part.name ?? "", path ? `${path}.${part.name}` : (part.name ?? ""), part, level + 1, part.name === member.start));
    const [first, last] = [inside[0], inside.at(-1)];
    box.y = first && last ? (first.y + last.y) / 2 : ROW * row++;
    width = Math.max(width, box.x + WIDTH);
    for (const part of inside) {
      // Where the speakers choose, only the first one is chosen from above.
      if (member.start !== undefined && !part.start) continue;
      lines.push({ from: path, to: part.path, kind: member.kind === "model" ? "calls" : "team", both: false, d: across(box, part) });
    }
    if (!all) handovers(inside, parts);
    return box;
  };

  const handovers = (inside: readonly Box[], parts: readonly Team[]) => {
    const at = new Map(inside.map((box, i) => [box.name, i]));
    for (const [i, { handsOverTo = [] }] of parts.entries()) {
      for (const name of handsOverTo) {
        const j = at.get(name);
        const [from, to] = [inside[i], j === undefined ? undefined : inside[j]];
        if (j === undefined || !from || !to) continue;
        const back = parts[j]?.handsOverTo?.includes(from.name) ?? false;
        if (back && j < i) continue; // one line for both
        const bend = ARC + ARC * Math.abs(j - i);
        width = Math.max(width, from.x + WIDTH + bend);
        lines.push({ from: from.path, to: to.path, kind: "handover", both: back, d: beside(from, to, bend) });
      }
    }
  };

  place(agent, "", team, 0, false);
  return { boxes, lines, width: width + 4, height: Math.max(1, row) * ROW, everybody };
}

function across(from: Box, to: Box): string {
  const [x1, y1, x2, y2] = [from.x + WIDTH, from.y + HEIGHT / 2, to.x, to.y + HEIGHT / 2];
  const middle = (x1 + x2) / 2;
  return `M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`;
}

function beside(from: Box, to: Box, bend: number): string {
  const down = to.y > from.y ? 1 : -1;
  const [x, y1, y2] = [from.x + WIDTH, from.y + HEIGHT / 2 + 6 * down, to.y + HEIGHT / 2 - 6 * down];
  return `M${x} ${y1}C${x + bend} ${y1} ${x + bend} ${y2} ${x} ${y2}`;
}
