package gateway

import (
	"crypto/rand"
	"net/http"
	"regexp"
	"strconv"
	"sync"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/groupchat"
)

// Bounds of runs that remote agents ask for on behalf of other runs. The first ends a circle of remote agents. The second ends one
// that branches, which within the first could still be 2^16 runs: it counts the runs of one chain on this replica, as long as
// any of them is live.
const (
	maxHops      = 16
	maxChainRuns = 128
)

// chainName is what a chain may be called.
var chainName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// hopsOf reads how many remote agents a request came over, and the chain it belongs to: one of its own if it came over none.
func hopsOf(header http.Header) (hops int, chain string, err error) {
	text := header.Get(groupchat.HopsHeader)
	if text == "" {
		return 0, rand.Text(), nil
	}
	hops, err = strconv.Atoi(text)
	if err != nil || hops < 1 {
		return 0, "", &agui.Error{Code: agui.CodeInvalidInput, Err: &agui.FieldError{Path: groupchat.HopsHeader, Problem: "must be a whole number from 1 on"}}
	}
	if hops >= maxHops {
		return 0, "", &agui.Error{Code: agui.CodeRemoteLoop}
	}
	if chain = header.Get(groupchat.ChainHeader); chainName.MatchString(chain) {
		return hops, chain, nil
	}
	return hops, rand.Text(), nil
}

// chains counts the runs of each chain that is live here. The zero value has none.
type chains struct {
	mu  sync.Mutex
	all map[string]*chain
}

// A chain is a run with those that its remote agents ask for, as far as they are here.
type chain struct {
	live int // with those that are about to be
	runs int // that remote agents asked for, since the first that is live
}

// enter counts a run that came over so many hops; leave takes it back. It reports whether there is room for it.
func (c *chains) enter(name string, hops int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	in := c.all[name]
	if in == nil {
		in = &chain{}
	}
	if hops > 0 {
		if in.runs >= maxChainRuns {
			return false
		}
		in.runs++
	}
	in.live++
	if c.all == nil {
		c.all = map[string]*chain{}
	}
	c.all[name] = in
	return true
}

// rejoin counts a run that another replica had begun, whatever room there is.
func (c *chains) rejoin(name string) {
	c.enter(name, 0)
}

// leave ends a run.
func (c *chains) leave(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	in := c.all[name]
	if in == nil {
		return
	}
	if in.live--; in.live == 0 {
		delete(c.all, name)
	}
}

// undo takes back a run that was not begun.
func (c *chains) undo(name string, hops int) {
	c.mu.Lock()
	if hops > 0 {
		c.all[name].runs--
	}
	c.mu.Unlock()
	c.leave(name)
}
