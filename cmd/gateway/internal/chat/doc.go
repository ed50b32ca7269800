// Package chat is a conversation with an agent in a terminal, over AG-UI, and without one for scripts. docs/chat.md is its manual.
//
//	session.go     a conversation: what is known of it, and one run after the other; turn.go one run
//	talk.go        what a person at a terminal does, commands.go what begins with a slash; script.go one message of a script
//	render.go      what events look like, call.go calls of tools; blocks.go keeps apart what several say at once
//	question.go    a question and what answers it, ask.go how a person is asked; approval.go calls of tools that a person decides on
//	form.go        forms of a JSON Schema, schema.go what they are made of
//	screen.go      writes to a terminal, clean.go makes what others wrote harmless; terminal.go reads lines from a person
//	kept.go        conversations with servers that keep none
//	address.go     where an agent is; hint.go what errors mean, and what to do about them
package chat
