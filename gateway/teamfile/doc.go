// Package teamfile reads team files: the agents of a gateway, described in YAML.
//
//	team, err := teamfile.Load("team.yaml", teamfile.Options{})
//	if err != nil {
//		return err // every mistake of the file, one a line: "team.yaml:7:5: …"
//	}
//	defer team.Close()
//	g, err := gateway.New(gateway.Options{Agents: team.Agents, Agent: team.Options})
//
// docs/teams.md is the manual of the format, and docs/team.schema.json its JSON Schema for editors.
//
// A file is read in these steps, a file of this package each:
//
//	yaml.go         bytes ─► nodes, which know their line and column
//	object.go       objects whose members keep their order
//	read.go         a node's text, number, list or mapping, or a problem at that place; env.go puts ${VARIABLES} in
//	team.go         the sections of a file, and each agent with what the gateway is told about it
//	chat.go         type groupchat and concurrent: participant.go and scope.go for who takes part, manager.go and choices.go
//	                for who speaks next, planner.go for a manager that plans, condition.go for conditions, selection.go for
//	                who works at once
//	llm.go          type llm: model.go for its model, tools.go and mcp.go for its tools, mcp_text.go for what servers tell it,
//	                history.go for how much of a conversation it is told, predict.go for the state that follows what it writes
//	model_list.go   models that are lists of others; model_provider.go those of providers that a program has registered;
//	                model_cache.go what is kept of replies
//	script.go       type script
//	variables.go    texts with {{variables}}
//	contract.go     what agents are given and return; written.go finds out what of that cannot be
//	tools_program.go  tools of the program; tools_written.go tools that the file describes, tools_http.go HTTP endpoints,
//	                tool_retry.go which calls are made again
//	a2ui.go         surfaces of A2UI
//	guardrails.go   what is called around an agent: guardrails, and hooks of the program
//	remote.go       type agui, an agent on another server
//	substitute.go   what tests put in the place of models, servers and remote agents
//	document.go     YAML files that go with team files, read by the same rules
//	attachments.go  which files agents take; typed.go typed answers, suggestions.go what people may want to say next
//	budget.go       what agents may use
//	use.go          which agents name others: those are not served by themselves
//	error.go        the problems, in the file's order
//
// A mistake does not end the reading: all are reported at once, see [Error]. None quotes a value of the environment, because that may be
// a key. [Options.Types] adds types of agents that are written in Go, [Options.Tools] functions that models may call.
package teamfile
