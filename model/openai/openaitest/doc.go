// Package openaitest replaces a model's server in tests: an [Answer] is an answer of OpenAI's chat completions API,
// down to the lines of its event stream, and [Serve] sends one after the other.
//
//	call := openaitest.Calls("forecast", `{"city":"Paris"}`)
//	server := httptest.NewServer(openaitest.Serve(call, openaitest.Text("Take a coat.")))
//	defer server.Close()
//	m, err := openai.New(openai.Options{BaseURL: server.URL, Name: "mock"})
//
// An agent that speaks through m is then tested with everything that lies between it and a model's server, and says the
// same each time. [Text] and [Calls] are what models answer as a rule; answers with a Status, that break off or that
// hold the connection show what an agent makes of faults. A test that is about none of this does with a model.Func.
package openaitest
