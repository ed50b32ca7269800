// Package faultsim runs several gateways in one process over a simulated store, network and clock, with faults that a
// seed decides. Its tests check what clients, agents and the store saw. Everything is test code: there is nothing to
// import.
package faultsim
