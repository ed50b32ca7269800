// Package openai asks language models behind OpenAI-compatible APIs: OpenAI's own, Azure's, and those of servers such
// as vLLM, Ollama and OpenRouter. [New] makes a [model.Model] of them, through which agents and managers of package
// groupchat speak.
//
//	m, err := openai.New(openai.Options{BaseURL: "http://127.0.0.1:11434/v1", Name: "llama3.2"})
//	if err != nil {
//		return err
//	}
//	agent := &groupchat.LLM{Model: m, Instructions: "Be brief."}
//
// Package model describes calls, and how to make one without agents.
//
// # Faults
//
// Servers that are busy or away are asked again after a wait, as long as nothing of the reply was passed on. After that
// it is an error with a code (package errcode): model_auth, model_request, model_response, model_content_filter,
// model_context_length or model_unavailable. Its text is for logs: it has the URL that was asked and what the server
// said, and neither keys nor prompts. One call, its retries included, is bounded in time, in silence and in bytes; see
// [Options].
//
// Before each try the call asks the fence of the run that its context belongs to, if there is one: a run that another
// replica has taken over asks no model.
//
// # Servers
//
// The bodies of requests are go-openai's types: body.go has those of chat completions and parts.go the attachments of
// messages, both with the members that go-openai lacks, responses_body.go has those of the Responses API. Replies are
// read by event_reader.go and then by chunk.go or responses_events.go, because servers spell events differently;
// docs/adr/0016-readers-of-model-streams.md compares the readers and lists what go-openai lacks. Retries, limits and
// the reply itself are those of every provider (model/internal/provider). Tests of packages that use models find
// servers in package openaitest.
//
// Most servers take less than OpenAI's. A refused request is sent again with fewer parameters (form.go lists them,
// refusal.go decides), and the accepted form is remembered for the model (learned.go). Whether a refusal may be about
// the form is judged by its status and codes, never by its words. opaque.go has opaque data, options.go settings.
package openai
