package groupchattest

import (
	"fmt"

	"github.com/agui-gateway/gateway/groupchat/modeltest"
)

// EachTakeover plays a conversation once as it is, and then once for each place of its runs at which the process could
// die and another one continue: after the start of a run, after each turn, and after each recorded effect. Build makes
// a thread with new agents and models, and play talks to it and checks its messages, which a crash must not change.
// EachTakeover returns the number of places.
func EachTakeover(t modeltest.T, build func(t modeltest.T) *Thread, play func(th *Thread)) int {
	t.Helper()
	th := build(t)
	play(th)
	places := th.saves
	for place := 1; place <= places; place++ {
		other := build(&named{T: t, name: fmt.Sprintf("after a death at %d of %d: ", place, places)})
		other.crash = place
		play(other)
		if other.crash != 0 {
			t.Errorf("the conversation has fewer places than the first time: it did not come to %d of %d", place,
				places)
		}
	}
	return places
}

type named struct {
	modeltest.T
	name string
}

func (n *named) Errorf(format string, args ...any) {
	n.Helper()
	n.T.Errorf("%s", n.name+fmt.Sprintf(format, args...))
}

func (n *named) Fatalf(format string, args ...any) {
	n.Helper()
	n.T.Fatalf("%s", n.name+fmt.Sprintf(format, args...))
}

// Cleanup calls f when the test has ended, if the T can tell.
func (n *named) Cleanup(f func()) {
	if c, ok := n.T.(interface{ Cleanup(f func()) }); ok {
		c.Cleanup(f)
	}
}
