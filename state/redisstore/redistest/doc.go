// Package redistest starts real Redis servers for tests: [Start] one, [StartCluster] several that form a cluster,
// [StartSentinel] a master and its replica with a sentinel, and [StartProxy] a connection to one that loses replies.
// They listen on reserved ports of the loopback interface, keep their files in a directory of the test's, and end with
// the test.
//
//	server := redistest.Start(t, "--appendonly", "yes")
//	store, err := redisstore.Open(ctx, server.URL(), redisstore.Options{})
//	…
//	server.Kill() // Restart starts it on the same files; Freeze and Thaw stop and continue it
package redistest
