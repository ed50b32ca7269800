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
//	read.go         a node's text, number, list or mapping, or a problem at that place; env.go puts ${VARIABLES} in
//	team.go         the sections of a file, and each agent with what the gateway is told about it
//	chat.go         type groupchat and concurrent: participant.go and scope.go for who takes part, manager.go and choices.go
//	                for who speaks next
//	llm.go          type llm: model.go for its model, tools.go and mcp.go for its tools
//	script.go       type script
//	remote.go       type agui, an agent on another server
//	use.go          which agents name others: those are not served by themselves
//	error.go        the problems, in the file's order
//
// A mistake does not end the reading: all are reported at once, see [Error]. None quotes a value of the environment, because that may be
// a key. [Options.Types] adds types of agents that are written in Go.
package teamfile
