// Command testrun runs tests, runs each failed test once more by itself, and records what needed that.
//
//	testrun go [go test flags] PACKAGES    go test -json
//	testrun node [node flags] FILES        node --test
//	testrun vitest [vitest flags]          vitest run
//	testrun added COMMIT                   each test added since a commit, up to ten times, without second runs
//
// A test that fails and then passes by itself is flaky. The run stays green with at most mostFlaky (main.go) of them,
// counted over all calls that share the directory CI_RESULTS. There is no second run after a race report, a panic, a
// timeout, a crash or a skipped test.
//
// With CI_RESULTS set, testrun appends the names of flaky tests to its file flaky, and the names and first lines of
// failed tests to its file failed. It exits with 1 if a test failed, and with 2 if it could not run the tests.
package main
