// Package upgrades_test has threads of the present format as their stores kept them, and the tests that this version
// continues them.
//
// Testdata has, by format, a Redis (redis.gz: its keys and values as JSON), a file (file.gz) and what clients were
// shown of both (redis.shown.json.gz, file.shown.json.gz). Their threads are in every condition that one can be in when
// an operator stops one version and starts the next; threads_test.go lists them, with the way to make each and how a
// client continues it.
//
// To keep the threads of this version:
//
//	go test ./interop/upgrades -run TestKept -update
package upgrades_test
