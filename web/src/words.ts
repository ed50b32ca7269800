/** The word for a thread of an agent: a plan of the travel team, a conversation of others. */
export const nounFor = (agent: string): string => (agent === "travel" ? "plan" : "conversation");
