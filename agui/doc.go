// Package agui is the AG-UI protocol, version 1.0, with what 0.x clients understand of it: the 31 events, messages, and
// the order in which they may come.
//
// An event is a pointer to a struct without behaviour. [Encode] writes it, [Decode] reads it and names the field that
// is malformed; an event of another version's is kept as an [Unknown]. A server reads the body of a run request with
// [DecodeInput] and answers with a [Stream] of server-sent events; [ReadStream] takes one apart. [Verifier] says
// whether events come in an order the protocol allows, with the verdicts of the protocol's own client:
//
//	var order agui.Verifier
//	for record, err := range agui.ReadStream(response.Body, 0) {
//		if err != nil {
//			return err
//		}
//		event, err := agui.Decode(record.Data, nil)
//		if err != nil {
//			return err
//		}
//		if err := order.Next(event); err != nil {
//			return err // an *OrderError, which names the rule
//		}
//		if text, ok := event.(*agui.TextMessageContent); ok {
//			fmt.Print(text.Delta)
//		}
//	}
//
// [Tracker] knows what a stream has open, and [Expander] makes whole events of chunks. Package agui/run writes the
// events of a run and knows what a stream adds up to; package agui/client runs agents on other servers.
//
// Rules that are the same for all events live in one function over a table, which is the structs' own tags. Dynamic
// JSON stays [encoding/json.RawMessage], so that big integers, nulls and unknown members of application data survive
// unchanged.
//
// Values of this package are not safe for concurrent use unless their documentation says so.
package agui
