// Package modeltest stands in for a model's server in tests: an [Answer] is what such a server sends, down to the lines of its
// event stream, and [Serve] gives one after the other to whoever asks.
//
//	server := httptest.NewServer(modeltest.Serve(modeltest.Calls("forecast", `{"city":"Paris"}`), modeltest.Text("Take a coat.")))
//	defer server.Close()
//	m, err := model.New(model.Options{BaseURL: server.URL, Name: "mock"})
//
// An agent that speaks through m is then tested with everything that lies between it and a model's server, and says the same
// each time. [Text] and [Calls] are what models answer as a rule; answers with a Status, that break off or that hold the
// connection show what an agent makes of faults.
package modeltest
