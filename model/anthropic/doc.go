// Package anthropic asks language models behind Anthropic's Messages API, without Anthropic's library. [New] makes a
// [model.Model] of them, and [Open] does so for team files, which know it as the provider anthropic.
//
// The API differs from OpenAI's: the system's messages are one text, results of tools are messages of the user, the
// roles alternate, and a stream has blocks. body.go writes requests, stream.go reads replies, errors.go gives errors
// their codes. Retries, limits and the reply itself are those of every provider (model/internal/provider), and
// agui.ReadStream reads the events.
//
// Models think if [Options].Effort or Thinking is set, and the newest ones in any case. The server signs or encrypts
// thoughts. They go back with the calls of the turn, at the place where they stood (thoughts.go).
//
// A strict schema of a reply is sent as output_config.format, and any other in words. What a model refuses of a request
// is left out, as far as package anthropic can (form).
//
// The tests replay the documented protocol, version 2023-06-01. No request was sent to Anthropic.
package anthropic
