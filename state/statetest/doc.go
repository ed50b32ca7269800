// Package statetest has two suites. [Run] is the one that every [state.Store] passes: each sentence of the interface's
// contract is a subtest named as that sentence. [RunBackend] is for those who write a [store.Backend]: it asks the
// backend itself, without a store between, and a broken promise fails by its name.
//
//	func TestStore(t *testing.T) {
//	    statetest.Run(t, func(t *testing.T, clock *statetest.Clock) state.Store {
//	        b := newBackend(Options{Now: clock.Now, LogTTL: statetest.LogTTL})
//	        return store.New(b, store.Options{ThreadTTL: statetest.ThreadTTL})
//	    })
//	}
//
//	func TestBackend(t *testing.T) {
//	    statetest.RunBackend(t, func(t *testing.T, clock *statetest.Clock) store.Backend {
//	        return newBackend(Options{Now: clock.Now, LogTTL: statetest.LogTTL})
//	    })
//	}
//
// Begin with RunBackend: what it finds is one method's doing. What Run finds after that is order between calls, such as
// what a reader is shown while a thread is deleted.
//
// [RunHistories] compares stores with each other by random histories of calls, and reports the shortest one that shows
// a difference.
//
// Time is a [Clock] that the suites move. Crashes are a [Faulty] store: its calls fail before or after their effect.
package statetest
