// Package anthropic is a provider of models for the gateway, in a separate module: it calls models by Anthropic's
// Messages API, with other streams, tools and errors than OpenAI's. A program that imports the package can name it in
// team files:
//
//	import _ "example.com/provider/anthropic"
//
//	models:
//	  default: { type: anthropic, api_key: "${ANTHROPIC_API_KEY}", model: claude-sonnet-4-5 }
//
// The files:
//
//	settings.go  what a team file may say, and the registration
//	model.go     a call with its retries, which is what model.Model is
//	request.go   the neutral request as the API's; blocks.go its messages
//	stream.go    the API's events as the neutral reply
//	thoughts.go  thinking blocks, which go back to the server
//	fault.go     errors as codes
//	check.go     whether the server is there, takes the key and knows the model
package anthropic
