package groupchat

import (
	"maps"
	"net/http"
	"strconv"
)

// The headers by which a server learns that a request comes from a remote agent of another run. A remote agent may lead
// back to the direction of the call; a server that passes them on ([Input.Hops]) and refuses long chains ends that.
const (
	// HopsHeader says over how many remote agents the request has come: 1 or more.
	HopsHeader = "X-Gateway-Hops"
	// ChainHeader names the run that the first of them works for, with up to 64 letters, digits, '-' and '_'.
	ChainHeader = "X-Gateway-Chain"
)

// withHops returns the headers of a request to a remote agent, with what it has to know of the way to it.
func (t *Turn) withHops(header http.Header) http.Header {
	header = maps.Clone(header)
	if header == nil {
		header = http.Header{}
	}
	in := t.x.Input
	header.Set(HopsHeader, strconv.Itoa(in.Hops+1))
	if in.Chain != "" {
		header.Set(ChainHeader, in.Chain)
	}
	return header
}
