// Package approval reads and shows decisions of people about calls of tools: the card of the question, the schema of
// its answer, what an answer means, and the mark that it leaves on the result.
package approval
