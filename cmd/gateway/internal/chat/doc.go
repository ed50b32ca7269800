// Package chat is a client for conversations with agents over AG-UI, in a terminal or for scripts. docs/chat.md is its
// manual.
//
//	session.go     a conversation: its data, and its runs; turn.go a single run
//	talk.go        interaction in a terminal, commands.go slash commands; script.go one message of a script
//	render.go      makes blocks of events, display.go shows them, call.go shows tool calls
//	blocks.go      separates concurrent texts
//	question.go    a question and its answers, ask.go asks a person; approval.go decisions on tool calls
//	form.go        forms of a JSON Schema, schema.go the part of it that they use
//	screen.go      writes to a terminal, clean.go makes foreign text harmless; terminal.go reads lines
//	kept.go        stores conversations with servers that store none
//	address.go     locates agents; hint.go explains errors
package chat
