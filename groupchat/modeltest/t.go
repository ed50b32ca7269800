package modeltest

// A T is what tests report to: a *testing.T, *testing.B, *testing.F or *rapid.T.
type T interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// A cleaner calls functions when the test has ended.
type cleaner interface{ Cleanup(f func()) }

// cleanUp calls f when the test has ended, if t can tell.
func cleanUp(t T, f func()) {
	if c, ok := t.(cleaner); ok {
		c.Cleanup(f)
	}
}
