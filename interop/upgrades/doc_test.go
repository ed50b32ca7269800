// Package upgrades_test has threads of earlier versions, as their stores had them, and the tests that this version goes on with them.
//
// For each format of what is stored, testdata has a Redis (redis.gz: its keys and values as JSON), a file (file.gz) and what clients were
// shown of both (redis.shown.json.gz, file.shown.json.gz). Their threads are in every condition that one can be in when an operator stops one version and starts the
// next; threads_test.go lists them, with what makes each and how a client goes on with it.
//
// To keep the threads of this version, before a change that raises the format:
//
//	go test ./interop/upgrades -run TestKept -update
package upgrades_test
