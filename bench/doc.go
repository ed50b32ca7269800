// Command bench measures what a gateway costs, against the least program that could do the same.
//
//	bench compare -gateway bin/gateway       all servers in turn, several rounds; ratios and targets
//	bench simulate -gateway bin/gateway      costs on a Redis Cluster, compared with docs/scaling.md
//	bench scale open=50000 lease=30          what follows for that many open threads
//	bench hold -gateway bin/gateway          what a gateway holds for runs that are open, and for those that are over
//	bench targets <output                    each target with its figure, from the output of compare and of benchmarks
//	bench load -url http://host/agents/a     one server that is already there
//	bench model, bench floor                 the model's server and the least program by themselves
//
// The model's server streams the same words to everybody. The floor asks it as a gateway does and passes its words on
// as AG-UI events; it keeps nothing, checks nothing and knows no other reply. The load driver reads every stream with
// the project's own verifier, which costs the driver and not the server: what a server uses is read from the operating
// system's account of its process.
//
// Absolute figures are those of one machine at one hour. Servers are measured by turns within each round, so that their
// ratios hold where the machine's speed drifts.
package main
