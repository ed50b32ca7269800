// Package teamfile reads team files: the agents of a gateway, described in YAML.
//
//	team, err := teamfile.Load("team.yaml", teamfile.Options{})
//	if err != nil {
//		return err // every mistake of the file, one a line: "team.yaml:7:5: …"
//	}
//	defer team.Close()
//	g, err := gateway.New(gateway.Options{Agents: team.Agents, Agent: team.Options})
//
// docs/teams/README.md begins the manual of the format, and docs/team.schema.json its JSON Schema for editors.
//
// These files do the work, in the order of reading:
//
//	yaml.go           from bytes to values with their line and column
//	value.go          reads a value as a text, number, list or mapping, or notes a problem at its place
//	fields.go         the keys of a mapping; unknown and missing ones are problems
//	json.go           values as JSON, and as Go values
//	env.go            replaces ${VARIABLES}
//	team.go           the sections of a file, and each agent with its options in the gateway
//	chat.go           type groupchat, with participant.go and scope.go for the participants, manager.go and choices.go
//	                  for the managers, planner.go for type plan, condition.go for conditions
//	selection.go      type concurrent
//	llm.go            type llm, with model.go, tools.go, mcp.go, mcp_text.go (resources and prompts), history.go and
//	                  predict.go
//	model_list.go     models that are lists of others; model_provider.go models of registered providers;
//	                  model_cache.go caches of replies
//	script.go         type script
//	variables.go      texts with {{variables}}
//	contract.go       the inputs and outputs of agents; written.go finds impossible ones
//	tools_written.go  tools of the file; tools_program.go those of the program, tools_http.go HTTP requests
//	a2ui.go           surfaces of A2UI
//	guardrails.go     guardrails, and hooks of the program
//	remote.go         types agui, a2a and langgraph: agents on other servers
//	substitute.go     replacements of models, servers and remote agents in tests
//	document.go       YAML files that go with team files, read by the same rules
//	attachments.go    the files that agents take; suggestions.go suggestions and typed answers
//	budget.go         budgets
//	use.go            which agents are served, and to whom; agents that others name are not served by themselves
//	hints.go          the words and keys that were probably meant, and short forms; foreign.txt has the words of other
//	                  frameworks
//	sense.go          warnings
//	parts.go          the models, servers and remote agents of a team, for probes of them
//	error.go          the problems, in the file's order
//
// A mistake does not end the reading: all are reported at once, see [Error]. No message quotes a value of the
// environment, because that may be a key. [Options.Types] adds types of agents that are written in Go, [Options.Tools]
// functions that models may call.
//
// A new key needs a [Fields.Take] where its mapping is read, a property in docs/team.schema.json, a row in
// docs/teams and an example there. The test TestSchemaIsCurrent writes with -update which types have the key into
// the schema; other tests compare the three.
package teamfile
