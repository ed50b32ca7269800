package main

import (
	_ "embed" // the measurements
	"encoding/json"
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// A quantity is a number with a name: a formula over those before it, in the syntax of Go's constants.
type quantity struct{ name, formula, unit, what string }

// What costs something, and in what: a cost of an activity is a quantity such as redisEvent. Costs are those of all
// shards together.
var (
	activities = []struct{ name, rate, what string }{
		{"Run", "starts", "a run, from the request to the end, without its events"},
		{"Append", "appends", "an append of events to a log"},
		{"Event", "events", "an event in it, sent to whoever asked for the run"},
		{"Copied", "copied", "an event that another replica sends to its reader"},
		{"Question", "asks", "a run that asks a question, and waits"},
		{"Renewal", "renewals", "a renewal of a lease, three in each `-lease`"},
		{"Read", "read", "a live run with a reader, each second, beside its lease and events"},
		{"Tab", "tabs", "a reader of a thread where nothing runs, each second"},
		{"Sweep", "sweeps",
			"a sweep for runs of dead replicas, two in each `-lease` of each replica, with all other work of a " +
				"replica"},
		{"Shard", "shards", "a shard with nothing to do, each second"},
	}
	costs = []struct{ name, what string }{
		{"redis", "µs of Redis"}, {"gateway", "µs of the gateway"}, {"commands", "commands"}, {"in", "bytes to Redis"},
		{"out", "bytes from Redis"},
	}
)

// The places of some activities.
const (
	events    = 2
	questions = 4
)

// sum is what all activities of a second cost but some, as a formula.
func sum(cost string, but ...string) string {
	var terms []string
	for _, a := range activities {
		if !slices.Contains(but, a.rate) {
			terms = append(terms, a.rate+"*"+cost+a.name)
		}
	}
	return strings.Join(terms, " + ")
}

// choices are what an operator sets, with the defaults, and what people do; a reader has other numbers.
var choices = []quantity{
	{"lease", "10.0", "s", "`-lease`"},
	{"threadTTL", "30*86400.0", "s", "`-thread-ttl`"},
	{"logTTL", "3600.0", "s", "`-log-ttl`"},
	{"questionTTL", "86400.0", "s", "`-interrupt-ttl`"},
	{"pool", "9.0", "", "connections of a replica to a shard, at most"},
	{"replicaSize", "4.0", "cores", "processors of a replica"},
	{"coreUse", "0.5", "", "how much of a processor is used at most; the rest is for bursts"},
	{"shardMemory", "16e9", "bytes", "`maxmemory` of a shard"},
	{"runSeconds", "60.0", "s", "how long a run is live"},
	{"speaking", "0.2", "",
		"share of that time in which its model speaks; for the rest tools and models are waited for"},
	{"tokens", "50.0", "1/s", "pieces of text from a model that speaks, an event each"},
	{"batch", "1.0", "", "events of an append: 1 while Redis keeps up, more when it does not"},
	{"elsewhere", "0.05", "", "readers at other replicas than the run's own, for each live run"},
	{"tabs", "open", "", "pages that follow a thread where nothing runs"},
	{"asking", "0.1", "", "share of runs that end with a question"},
	{"signalling", "0.1", "", "share of runs that somebody stops, leaves, or waits for in a queue"},
	{"runsPerThread", "5.0", "", "runs of a thread"},
}

// results are what follows for so many open threads, line by line.
var results = []quantity{
	{"ends", "open / runSeconds", "1/s", "runs that end, and as many begin"},
	{"asks", "ends * asking", "1/s", "of which so many ask"},
	{"starts", "ends - asks", "1/s", "and so many do not"},
	{"events", "open * speaking * tokens", "1/s", "events"},
	{"appends", "events / batch", "1/s", "appends"},
	{"copied", "events * elsewhere", "1/s", "events sent by another replica than the run's, too"},
	{"read", "open", "", "live runs with a reader at their own replica"},
	{"renewals", "open / (lease/3)", "1/s", "renewals of leases"},
	{"workCores", "(" + sum("gateway", "sweeps", "shards") + ") / 1e6", "cores", "what replicas do for people"},
	{"replicas", "max(2, workCores/coreUse/replicaSize)", "", "replicas, two at the least"},
	{"sweeps", "replicas / (lease/2)", "1/s", "sweeps for runs of dead replicas"},
	{"gatewayCores", "workCores + sweeps*gatewaySweep/1e6", "cores", "processors of all replicas"},
	{"shardCores", "(" + sum("redis", "shards") + ") / 1e6", "cores", "what shards do"},
	{"shards", "max(1, shardCores/(coreUse-redisShard/1e6))", "",
		"shards for the processor's sake: a Redis uses one for commands"},
	{"redisCores", "shardCores + shards*redisShard/1e6", "cores", "processors of all shards"},
	{"commands", sum("commands"), "1/s", "commands, those in scripts included"},
	{"inBytes", sum("in"), "bytes/s", "network to Redis"},
	{"outBytes", sum("out"), "bytes/s", "network from Redis"},
	{"threads", "ends / runsPerThread * threadTTL", "", "threads that are kept"},
	{"waiting", "asks * questionTTL", "", "of which so many wait for an answer, if none comes"},
	{"ended", "ends * logTTL", "", "runs in logs"},
	{"logged", "events * logTTL", "", "events of theirs"},
	{"keys", "threads * keysThread", "", "keys"},
	{"threadMemory", "threads*bytesThread + waiting*(bytesQuestion-bytesThread)", "bytes", "memory of threads"},
	{"logMemory", "ended*bytesLog + logged*bytesEvent", "bytes", "memory of logs"},
	{"memory", "threadMemory + logMemory", "bytes", "memory of all shards"},
	{"memoryShards", "memory / shardMemory", "", "shards for the memory's sake"},
	{"connections", "replicas*shards*pool", "", "connections to all shards"},
}

// A limit is a quantity that must not be more than most, and what to turn when it is.
type limit struct {
	quantity
	most float64
}

var limits = []limit{
	{quantity{"replicaUse", "gatewayCores / replicas / replicaSize", "",
		"use of a replica's processors: more replicas"}, 1},
	{quantity{"shardUse", "redisCores / shards", "", "use of a shard's processor for commands: more shards"}, 1},
	{quantity{"logShare", "logMemory / (shards*shardMemory)", "",
		"logs, of the memory of as many shards as the processor needs: `-log-ttl`, more shards"}, 1},
	{quantity{"threadShare", "threadMemory / (shards*shardMemory)", "",
		"threads, of the same: `-thread-ttl`, more shards"}, 1},
	{quantity{"nodes", "max(shards, memoryShards)", "",
		"masters of a Cluster: [several installations](#several-installations)"}, 1e3},
	{quantity{"shardConnections", "connections / shards", "", "connections of a shard: `maxclients`, more shards"},
		10e3},
	{quantity{"replicaRuns", "open / replicas", "", "live runs of a replica: `-max-runs`, more replicas"}, 10e3},
	{quantity{"replicaReaders", "(read + tabs + open*elsewhere) / replicas", "",
		"readers of a replica: `-max-readers-total`, more replicas"}, 10e3},
	{quantity{"takeover", "open / replicas / (replicas-1) * gatewayRun / 1e6", "s",
		"time in which the others begin anew what a replica that dies leaves: more and smaller replicas"}, 10},
	{quantity{"liveCores", "(renewals + 2*ends) / 8 * redisHint / 1e6", "cores",
		"processor for one of the eight keys of the index of live runs: a longer `-lease`, several installations"}, 1},
	{quantity{"formatCores", "(ends + sweeps) * redisHint / 1e6", "cores",
		"processor for the key of the store's format: several installations"}, 1},
	{quantity{"signalCores", "(ends*signalling + copied/batch) * redisSignal / 1e6", "cores",
		"processor of each shard for signals to runs, and for logs that grow and are followed elsewhere, which a " +
			"Cluster tells all its nodes: readers where their runs are, several installations"}, 1},
	{quantity{"principalKey", "threads / 4 * bytesEntry", "bytes",
		"memory of one of the four keys of a principal's index, if all threads are one principal's: `-auth`, so " +
			"that each person is a principal"}, 16e9},
	{quantity{"sizesCores", "ends * 4 * redisAppend / 1e6", "cores",
		"processor for one principal's sizes, if all threads are its own and `-max-stored-per-principal` is set: " +
			"leave it 0, or tell people apart"}, 1},
}

// A capacity is how much of one kind of work one core carries; the gateway's or the shard's units go where %[1]s is.
var capacities = []quantity{
	{"events alone", "1e6 / (%[1]sEvent + %[1]sAppend)", "1/s", "events, each appended by itself"},
	{"events together", "1e6 / (%[1]sEvent + %[1]sAppend/16)", "1/s", "events, 16 in an append"},
	{"runs", "1e6 / (%[1]sRun + 200*(%[1]sEvent + %[1]sAppend))", "1/s", "runs of 200 events"},
	{"runs that speak", "1e6 / (50*(%[1]sEvent + %[1]sAppend) + %[1]sRead + %[1]sRenewal*3/10)", "",
		"runs at a time of which each says 50 tokens a second"},
	{"runs that wait", "1e6 / (%[1]sRead + %[1]sRenewal*3/10)", "",
		"live runs at a time of which nothing comes, each with a reader"},
	{"questions", "1e6 / %[1]sQuestion", "1/s", "runs that ask"},
}

//go:embed units.json
var unitsFile []byte

// recorded are the unit costs that docs/scaling.md has.
func recorded() (units map[string]float64, err error) {
	err = json.Unmarshal(unitsFile, &units)
	return units, err
}

// evaluate computes quantities from known ones. Known ones are not computed again, so that a reader's own numbers
// count.
func evaluate(known map[string]float64, of ...[]quantity) (map[string]float64, error) {
	values, scope := maps.Clone(known), types.NewPackage("quantities", "quantities")
	for name, value := range known {
		scope.Scope().Insert(types.NewConst(token.NoPos, scope, name, types.Typ[types.UntypedFloat],
			constant.MakeFloat64(value)))
	}
	for _, quantities := range of {
		for _, q := range quantities {
			if _, ok := known[q.name]; ok {
				continue
			}
			v, err := types.Eval(token.NewFileSet(), scope, token.NoPos, q.formula)
			if err != nil || v.Value == nil {
				return nil, fmt.Errorf("%s = %s: %w", q.name, q.formula, err)
			}
			value := constant.ToFloat(v.Value)
			values[q.name], _ = constant.Float64Val(value)
			scope.Scope().Insert(types.NewConst(token.NoPos, scope, q.name, types.Typ[types.UntypedFloat], value))
		}
	}
	return values, nil
}
