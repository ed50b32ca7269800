/** What a thread of an agent is called: the travel team makes plans, others talk. */
export const nounFor = (agent: string): string => (agent === "travel" ? "plan" : "conversation");
