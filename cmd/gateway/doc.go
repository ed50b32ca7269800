// Command gateway serves a team of agents over AG-UI.
//
//	gateway [serve] [flags]          run the server
//	gateway init                     write a commented starter team file
//	gateway validate -config FILE    check a team file
//	gateway test PATH [flags]        play golden conversations with their teams
//	gateway chat [flags]             speak with an agent in a terminal, or from a script
//	gateway graph [-config FILE]     print a team as a Mermaid flowchart
//	gateway doctor [flags]           check an installation with the settings of serve
//	gateway config [flags]           print the settings that count, and where each comes from
//	gateway backup FILE              copy the store's file
//	gateway restore FILE             put a copy in its place
//	gateway healthcheck              exit 0 if the local server is ready
//	gateway version [-json]          print version, commit, date, Go and platform of this binary
//
// There is only wiring here: settings, signals, and which parts are put together. What a gateway does is in
// package gateway, for programs that bring agents of their own.
package main
