// Package faultsim runs several gateways in one process over a simulated store, network and clock, with faults that a
// seed decides. Its tests check what clients, agents and the store saw. The calls of the state of a thread, of each
// question and of each log are histories that have to be linearizable. Everything is test code: there is nothing to
// import.
package faultsim
