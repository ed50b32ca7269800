// Package httptool makes tools of HTTP endpoints: a call of the tool is one request, and its answer is the result for
// the model.
//
//	weather, err := httptool.New(httptool.Options{
//		Name: "get_weather", Description: "Tells the weather of a city.",
//		Parameters: json.RawMessage(`{"type":"object","required":["city"],"properties":{"city":{"type":"string"}}}`),
//		URL:        "https://weather.example/v1/cities/{city}",
//		Headers:    map[string]string{"Authorization": "Bearer " + key},
//	})
//	agent := &groupchat.LLM{Model: model, Tools: []groupchat.Tool{weather}}
//
// # Who decides what
//
// The URL, the method and the headers are the author's. The model fills in arguments: in segments of the path that are
// written {name}, in the query, and in a JSON body. An argument in the path stays in its segment, whatever it is: one
// that has a way out of it, such as "..", is refused before anything is sent. No argument changes the host, the scheme,
// a header, or a parameter of the query that the author has written.
//
// Addresses that only a machine's hosting answers, such as those where clouds hand out credentials, are not connected
// to, see [Options.HTTP]. Redirects are not followed: they are failures, which the model sees.
//
// # Results
//
// A result is the answer of a status from 200 to 299 that is JSON, or text other than HTML and event streams, and no
// larger than [Options.MaxBytes] when it is decompressed. Anything else is a failed call: the model gets nothing of
// HTML, binary or too large answers. For a status from 400 on it gets the code and the first words of the answer, if
// that is JSON or text. Values of headers, and secrets in the URL, are removed from results and logs.
//
// # Once and again
//
// GET and HEAD only read. Other methods are destructive, so that a person is asked about each call unless the author or
// the agent says otherwise, and a call is not repeated after a lost answer, unless [Options.Idempotent] says that the
// endpoint knows repeated calls: by the header Idempotency-Key, which then has [groupchat.ToolCall.Key], or because
// repeating one does no harm.
package httptool
