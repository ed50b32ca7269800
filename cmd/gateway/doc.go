// Command gateway serves a team of agents over AG-UI.
//
//	gateway [serve] [flags]          run the server
//	gateway init, gateway init KIND  write a commented starter team file, or a team of a kind
//	gateway validate -config FILE    check a team file
//	gateway test PATH [flags]        play golden conversations with their teams
//	gateway chat [flags]             talk to an agent in a terminal, or from a script
//	gateway graph [-config FILE]     print a team as a Mermaid flowchart
//	gateway doctor [flags]           check an installation with the settings of serve
//	gateway config [flags]           print the effective settings and their sources
//	gateway key                      make a key for the keys file
//	gateway export, gateway delete   write, or delete, all data of a principal
//	gateway backup FILE              copy the store's file
//	gateway restore FILE             replace the store's file by a copy
//	gateway healthcheck              exit 0 if the local server is ready
//	gateway version [-json]          print version, commit, date, Go and platform of this binary
//
// This package only connects the parts: settings, signals, and components. The gateway itself is package gateway, for
// programs with agents in Go.
package main
