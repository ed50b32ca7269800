// Package tools has the values that tools of models share with the agents that call them: results, errors, retries,
// questions, approvals. A tool itself is a groupchat.Tool.
//
// The files are result.go with results, errors and retries, approvals.go with the rules of approvals, and branch.go
// with the conversations of agents that are tools.
package tools
