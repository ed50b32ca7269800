// Command replica is the gateway that the chaos test kills: gateway.New on a Redis, with agents that keep a ledger.
//
// It serves three agents. travel is the demo's team; its flights and hotels write a line to the ledger for every
// booking they execute. ask asks one question and books the answer. long works in two turns for some seconds. It writes
// its address to stdout, and GET /chaos/working says how many turns it is at; it ends by being killed.
package main
