package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/redisstore"
)

// Bounds of what a Redis is warned of.
const (
	oldestRedis = 7                     // the major version that a store needs
	slowRedis   = 20 * time.Millisecond // an exchange takes longer: a step of a run waits for several
	fullRedis   = 80                    // percent of maxmemory
	smallSkew   = 5 * time.Second       // between two clocks
)

// A Redis is the configured Redis of threads.
type Redis struct {
	Address string // its URL, which may hold a password
	Options redisstore.Options
	Lease   time.Duration // from half of which on a clock that is wrong is more than a nuisance
}

// Check returns the check of a Redis.
func (r Redis) Check() Check {
	return Check{Name: "store", Run: func(ctx context.Context) []Finding {
		in, err := redisstore.Inspect(ctx, r.Address, r.Options)
		if err != nil {
			return []Finding{r.refusal("store", "The Redis cannot be used: ", err)}
		}
		found := []Finding{{Name: "store", Verdict: OK, Says: "The Redis can be reached and takes the credentials."}}
		for _, n := range in.Nodes {
			subject := ""
			if len(in.Nodes) > 1 {
				subject = n.Address
			}
			for _, f := range judgeNode(n) {
				f.Subject = subject
				found = append(found, f)
			}
			if n.Reported && n.Replicas < r.Options.Wait {
				found = append(found, Finding{"store.role", subject, Wrong,
					fmt.Sprintf("It has %d replicas, and -store-wait wants %d: no question is asked and no answer "+
						"taken.", n.Replicas, r.Options.Wait),
					"Add replicas, or lower -store-wait (GATEWAY_STORE_WAIT)."})
			}
		}
		found = append(found, judgeFormat(in.Format), latency(in.RoundTrip),
			clockFinding("the Redis", in.Ahead, in.RoundTrip, r.Lease))
		if in.Sentinels == 1 {
			found = append(found, Finding{"store.role", "sentinels", Warning,
				"One sentinel is named: a gateway that starts while that one is away finds no Redis.",
				"Name all of them in -store (GATEWAY_STORE), with commas between."})
		}
		if in.Cluster != "" && in.Cluster != "ok" {
			found = append(found, Finding{"store.role", "cluster", Wrong,
				"The cluster says that it is in state " + in.Cluster + ": not all of its slots are served.",
				"Bring its missing nodes back, or give their slots to others (redis-cli --cluster fix)."})
		}
		if in.Format > state.CurrentFormat {
			return found // it refuses writes
		}
		return append(found, r.rights(ctx), r.logs(ctx))
	}}
}

// mostCompared bounds the threads of each node that are compared with their logs.
const mostCompared = 10_000

func (r Redis) logs(ctx context.Context) Finding {
	n, wrong, err := redisstore.CompareLogs(ctx, r.Address, r.Options, mostCompared)
	switch {
	case err != nil:
		return Finding{Name: "store.logs", Verdict: Unchecked,
			Says: fmt.Sprintf("%d threads agree with their logs; the others could not be compared: %s.", n,
				causeOf(err)),
			Mend: "Look at the log of the Redis, and whether the user may run SCAN."}
	case len(wrong) > 0:
		return Finding{Name: "store.logs", Verdict: Wrong,
			Says: fmt.Sprintf("%d of %d threads do not agree with their logs, such as {%s}: its log ends with %s, "+
				"the thread with %q.", len(wrong), n, wrong[0].Tag, wrong[0].Log, wrong[0].Thread),
			Mend: "The Redis has lost writes, or something else wrote to its keys. Look at its persistence and " +
				"failovers; the next run of such a thread, or deleting it, mends it."}
	}
	return Finding{Name: "store.logs", Verdict: OK, Says: fmt.Sprintf("%d threads agree with their logs.", n)}
}

// rights lets a thread live and die.
func (r Redis) rights(ctx context.Context) Finding {
	err := redisstore.Rehearse(ctx, r.Address, r.Options)
	if err == nil {
		return Finding{Name: "store.rights", Verdict: OK,
			Says: "A thread was begun, written, read and deleted in a separate namespace."}
	}
	says := "A thread cannot live there: "
	if step, ok := errors.AsType[*redisstore.RehearsalError](err); ok {
		says = "The Redis does not let a gateway " + step.Step + ": "
	}
	return r.refusal("store.rights", says, err)
}

// refusal returns the finding for an error of the Redis. The texts of Redis' errors name commands and keys and no
// values.
func (r Redis) refusal(name, says string, err error) Finding {
	reason := redisstore.ReasonOf(err)
	prefix := cmp.Or(r.Options.Prefix, "agui")
	rights := "Give the user the rights: ACL SETUSER <user> ~" + prefix + ":* &" + prefix +
		":* +@all -@dangerous +info +config|get +cluster|slots +cluster|shards."
	why := map[redisstore.Reason][2]string{
		redisstore.ReasonURL: {"the address cannot be read",
			"Write -store as redis://[user:password@]host[:port][/db]; the contract has the other forms."},
		redisstore.ReasonUnreachable: {"no server answers at its address, or not in time",
			"Start it, or correct host and port in -store (GATEWAY_STORE); look at firewalls, and at rediss:// if " +
				"it wants TLS."},
		redisstore.ReasonCredentials: {"it refuses the user or the password",
			"Correct user and password in -store (GATEWAY_STORE): redis://user:password@host."},
		redisstore.ReasonPermission: {"the user may not do that", rights},
		redisstore.ReasonReadOnly: {"it is a replica and takes no writes",
			"Name the master in -store (GATEWAY_STORE), or its sentinels: redis+sentinel://host:port/master."},
		redisstore.ReasonFull: {"it is full and takes no writes",
			"Raise its maxmemory, or shorten -thread-ttl and -log-ttl."},
		redisstore.ReasonLoading: {"it is loading its files or has lost its master",
			"Wait until it has, and look at its log."},
		redisstore.ReasonReplicas: {"it has fewer replicas than min-replicas-to-write wants",
			"Bring its replicas back."},
		redisstore.ReasonClusterDown: {"the cluster is down",
			"Bring its missing nodes back; redis-cli --cluster check names them."},
		redisstore.ReasonCluster: {"it is a node of a cluster, and the address names a single Redis",
			"Write redis+cluster:// instead of redis:// in -store (GATEWAY_STORE)."},
		redisstore.ReasonConnections: {"it has as many connections as it may", "Raise its maxclients."},
		redisstore.ReasonLater: {"a later version of the gateway keeps its threads there",
			"Use that version; docs/upgrades.md says which reads what."},
		redisstore.ReasonOlder: {"an earlier version of the gateway keeps its threads there",
			"Use that version; docs/upgrades.md says which reads what."},
		redisstore.ReasonForeign: {"another program keeps something under the gateway's keys",
			"Give the gateway a separate Redis, or a separate database number."},
	}[reason]
	switch {
	case reason == redisstore.ReasonOther && name == "store.rights": // scripts do not report the refused right
		why = [2]string{"it answers with an error", rights + " Otherwise look at the log of the Redis."}
	case reason == redisstore.ReasonOther:
		why = [2]string{"it answers with an error", "Look at the log of the Redis."}
	}
	text := says + why[0] + "."
	if cause := causeOf(err); cause != "" && reason != redisstore.ReasonURL {
		text += " It says: " + cause + "."
	}
	return Finding{Name: name, Verdict: Wrong, Says: text, Mend: why[1]}
}

func judgeNode(n redisstore.Node) []Finding {
	if !n.Reported {
		return []Finding{{Name: "store.eviction", Verdict: Unchecked,
			Says: "The user may not ask the Redis about itself (INFO), so version, eviction and persistence are not " +
				"known.",
			Mend: "Allow it: ACL SETUSER <user> +info +config|get; or look yourself that maxmemory-policy is " +
				"noeviction."}}
	}
	found := []Finding{judgeVersion(n.Version)}
	switch {
	case n.Role == "master" && n.Replicas > 0 && n.MinReplicas == 0:
		found = append(found, Finding{"store.role", "", Warning,
			fmt.Sprintf("It is a master with %d replicas, and takes writes without them: what it takes while it is "+
				"cut off is lost in a failover.", n.Replicas),
			"CONFIG SET min-replicas-to-write 1, and the same in redis.conf of each of them."})
	case n.Role == "master":
		found = append(found, Finding{Name: "store.role", Verdict: OK,
			Says: "It is a master with " + strconv.Itoa(n.Replicas) + " replicas."})
	default:
		found = append(found, Finding{Name: "store.role", Verdict: Wrong,
			Says: "It is a replica (" + n.Role + "), which takes no writes.",
			Mend: "Name the master in -store (GATEWAY_STORE), or its sentinels: redis+sentinel://host:port/master."})
	}
	return append(found, judgeEviction(n), judgePersistence(n), judgeRoom(n))
}

func judgeVersion(version string) Finding {
	major, _, _ := strings.Cut(version, ".")
	if n, err := strconv.Atoi(major); err != nil || n < oldestRedis {
		return Finding{"store.version", "", Wrong,
			"It is version " + strconv.Quote(version) + ", and a gateway uses commands of 7.0.",
			"Upgrade the Redis to 7.0 or later."}
	}
	return Finding{Name: "store.version", Verdict: OK, Says: "It is version " + version + "."}
}

func judgeEviction(n redisstore.Node) Finding {
	const policy = "noeviction"
	switch {
	case n.Policy == policy:
		return Finding{Name: "store.eviction", Verdict: OK,
			Says: "A full Redis refuses writes (maxmemory-policy noeviction)."}
	case n.MaxMemory == 0:
		return Finding{"store.eviction", "", Warning,
			"Its maxmemory-policy is " + n.Policy +
				"; it has no maxmemory yet, so nothing is removed until somebody sets one.",
			"CONFIG SET maxmemory-policy noeviction, and the same in redis.conf."}
	default:
		return Finding{"store.eviction", "", Wrong,
			"Its maxmemory-policy is " + n.Policy +
				": when it is full it removes parts of threads, which are damaged then.",
			"CONFIG SET maxmemory-policy noeviction, and the same in redis.conf."}
	}
}

func judgePersistence(n redisstore.Node) Finding {
	f := Finding{Name: "store.persistence", Verdict: OK}
	switch {
	case n.SaveFailed:
		f.Verdict, f.Says, f.Mend = Wrong, "The last time it wrote to its disk failed.",
			"Look at its log and its disk; INFO persistence names what failed."
	case n.AppendOnly:
		f.Says = "It writes each command to a file (appendonly yes); appendfsync decides what a crash of its " +
			"machine takes."
	case n.PersistenceReported && !n.Snapshots:
		f.Verdict, f.Says, f.Mend = Warning,
			"It writes nothing to a disk: every thread and open question ends with it.",
			"CONFIG SET appendonly yes, and the same in redis.conf."
	case n.PersistenceReported:
		f.Verdict, f.Says, f.Mend = Warning,
			"It writes snapshots only (save): data since the last one is lost when it crashes.",
			"CONFIG SET appendonly yes, and the same in redis.conf."
	default:
		f.Verdict, f.Says, f.Mend = Unchecked,
			"It has no append-only file, and does not say whether it writes snapshots.",
			"Look yourself whether it keeps what it has."
	}
	return f
}

func judgeRoom(n redisstore.Node) Finding {
	f := Finding{Name: "store.room", Verdict: OK}
	switch {
	case n.MaxMemory == 0:
		f.Verdict, f.Says, f.Mend = Warning, "It has no maxmemory: it grows until the system ends it.",
			"Set maxmemory to what its machine can spare, with noeviction."
	case n.Memory*100 >= n.MaxMemory*fullRedis:
		f.Verdict, f.Says = Warning, fmt.Sprintf("It uses %d of %d MiB; full, it takes no writes.", n.Memory>>20,
			n.MaxMemory>>20)
		f.Mend = "Raise its maxmemory, or shorten -thread-ttl and -log-ttl."
	default:
		f.Says = fmt.Sprintf("It uses %d of %d MiB.", n.Memory>>20, n.MaxMemory>>20)
	}
	return f
}

func judgeFormat(f state.Format) Finding {
	switch {
	case f > state.CurrentFormat:
		return Finding{"store.format", "", Wrong,
			fmt.Sprintf("The data has format %s, of a later version of the gateway; this one knows %s.", f,
				state.CurrentFormat),
			"Use that version; docs/upgrades.md says which reads what. Nothing was changed."}
	case f == 0:
		return Finding{Name: "store.format", Verdict: OK, Says: "No gateway has used it yet."}
	default:
		return Finding{Name: "store.format", Verdict: OK, Says: "The data has format " + f.String() + "."}
	}
}

func latency(d time.Duration) Finding {
	if d > slowRedis {
		return Finding{"store.latency", "", Warning,
			fmt.Sprintf("An exchange takes %s at best; a step of a run waits for several.", d.Round(time.Millisecond)),
			"Bring gateway and Redis closer together, or look at what else the Redis does."}
	}
	return Finding{Name: "store.latency", Verdict: OK,
		Says: fmt.Sprintf("An exchange takes %s at best.", d.Round(10*time.Microsecond))}
}

// clockFinding judges a clock that is ahead of this machine's by d, give or take what an exchange takes.
func clockFinding(name string, d, roundTrip, lease time.Duration) Finding {
	f := Finding{Name: "clock", Subject: name, Verdict: OK}
	off := d.Abs() - roundTrip
	direction := "ahead of"
	if d < 0 {
		direction = "behind"
	}
	f.Says = fmt.Sprintf("The clock of %s is %s %s this machine's.", name, d.Abs().Round(time.Millisecond), direction)
	switch {
	case lease > 0 && off > lease/2 && off > smallSkew:
		f.Verdict = Wrong
		f.Says += fmt.Sprintf(" That is more than half of -lease (%s).", lease)
		f.Mend = "Have both machines set by NTP (timedatectl set-ntp true)."
	case off > smallSkew:
		f.Verdict, f.Mend = Warning, "Have both machines set by NTP (timedatectl set-ntp true)."
	}
	return f
}
