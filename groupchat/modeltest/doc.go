// Package modeltest has models that speak from a script, for tests of agents and for golden conversations.
//
//	m := modeltest.New(t,
//		modeltest.Calls("search", `{"q":"tides"}`),
//		modeltest.Text("The moon does it."),
//	)
//
// A [Model] gives its replies in order, or to the requests that they fit ([Reply.When], [Reply.To]). A request without
// a reply fails the test, and so does an unused reply. Errors have codes, as those of real models do ([Fails]).
package modeltest
