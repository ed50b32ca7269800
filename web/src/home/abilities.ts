// What an agent can do, in words, from what the gateway tells of it.

import type { AgentInfo, Capabilities } from "../gateway/types";

const media: Record<string, string> = { "image/*": "images", "audio/*": "audio", "video/*": "video", "text/*": "text", "application/pdf": "PDF", "application/json": "JSON" };

/** Types of files as people call them. Other types keep their last part. */
export function filesOf(types: readonly string[]): string {
  if (types.length === 0 || types.includes("*/*")) return "";
  const named = new Set(types.map((type) => media[type] ?? (type.split("/").at(-1) ?? type).toUpperCase()));
  return [...named].slice(0, 6).join(", ");
}

/** One line for each ability. Unknown ones are left out, because they are not denied. */
export function abilitiesOf(agent: AgentInfo, can: Capabilities): string[] {
  const { humanInTheLoop: people, tools, reasoning, multiAgent, custom } = can;
  const files = agent.attachments && filesOf(agent.attachments.types);
  const all: [unknown, string][] = [
    [people?.interrupts ?? agent.interrupts, "Asks you questions"],
    [agent.typedAnswers, "Takes typed answers to its questions"],
    [people?.approvals, people?.approveWithEdits ? "Asks for your approval before it acts, and lets you change what it does" : "Asks for your approval before it acts"],
    [tools?.supported, "Uses tools"],
    [agent.attachments, files ? `Takes files: ${files}` : "Takes files"],
    [custom?.["a2ui"], "Shows forms and views of its own"],
    [reasoning?.supported, "Shows how it reasons"],
    [multiAgent?.handoffs, "Its participants hand over to each other"],
  ];
  return all.filter(([known]) => known).map(([, text]) => text);
}
