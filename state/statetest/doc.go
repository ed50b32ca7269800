// Package statetest is the suite every [state.Store] passes: each sentence of the interface's contract is a
// subtest named as that sentence.
//
//	func TestMemory(t *testing.T) {
//	    statetest.Run(t, func(t *testing.T, clock *statetest.Clock) state.Store {
//	        return memstore.New(memstore.Options{Now: clock.Now, LogTTL: statetest.LogTTL, ThreadTTL: statetest.ThreadTTL})
//	    })
//	}
//
// Time is a [Clock] that the suite moves. Crashes are a [Faulty] store: one whose calls fail before or after they
// have done what they are for.
package statetest
