// Package agui speaks the AG-UI protocol, version 1.0, and what 0.x clients understand of it.
//
// It holds the protocol and nothing of the gateway: the 31 events ([Event], [Encode], [Decode]), messages and
// the run input ([RunAgentInput], [DecodeInput]), the order rules ([Verifier]), what a stream adds up to
// ([View]), the only writer of a run ([Run]), SSE both ways,
// and what agents on other servers send ([Client]).
//
// An agent's events take one way through it:
//
//	Run.Text, Run.Step, … ─► Run.Emit ─► Verifier ─► Encode ─► Sink          (writing, once per run)
//
// and another server's the other way:
//
//	SSE ─► mended ─► chunks expanded ─► Verifier ─► Client.Run
//
// Events are plain structs without behaviour; rules that are the same for all of them live in one function
// over a table. Dynamic JSON stays [encoding/json.RawMessage] so that big integers, nulls and unknown members of
// application data survive unchanged.
//
// Values of this package are not safe for concurrent use unless their documentation says so; [Run] is.
package agui
