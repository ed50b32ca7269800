// Command chaos stops replicas and Redis at any moment and looks whether anybody notices: no lost answer, no hung or
// invalid stream, no double booking.
//
// It starts a real redis-server (appendonly everysec), three replicas (interop/chaos/replica) as processes, and a
// round-robin proxy before them, all on the loopback interface, and plays seven scenarios: kills, races, readers,
// outages, empty, frozen, tails. After each of them every thread is compared with its log. An eighth, restarts, plays
// on one gateway with its threads in a file. A ninth, rolling, begins with replicas of an older version, built from its
// own source (keep-older.sh), and kills them one by one; each comes back as one of this version, later as one of the
// older again, and in the end all are of this one. Every stream that any reader gets is checked by an [agui.Verifier],
// its deltas are applied, strictly, and what it adds up to is compared with the thread. It exits with 1 if anything was
// wrong.
//
// # What a duplicate booking is
//
// The replicas write a line to a ledger for every booking they execute, with the idempotency key that a tool gets
// (the turn and the tool's key). An effect without a recorded result may be executed again after a crash
// under the same key, which is what the key is for: a booking service does
// nothing the second time. So the ledger is read as such a service would: lines of one key that say the same are one
// booking, and are counted as repeated; lines of one key that differ, or two keys for one answer, are a duplicate
// booking and a failure. Where nothing is killed (races), one line per answer is demanded.
//
// # Measurements
//
// A kill counts as one during a run if the replica was at an agent's turn when it was asked right before; the time a
// supervisor speaks is not counted. A silence is the time between two events of one reader, its reconnecting included.
// A stream is hung if 30 seconds pass without a byte. The threads of restarts are compared with what their readers saw
// once more at the end, after the last kill. Takeovers are counted in the replicas' logs.
//
// # The soak
//
// With -soak nothing of this is played. Instead gateways as people run them are visited round after round, and nothing
// that they hold may have grown: docs/soak.md says how that is found out. Their profiles at the first and the last
// sample are in the directory of -keep.
package main
