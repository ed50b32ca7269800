package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal starts a shutdown. After it signals have their default effect, so a second one ends the process.
	context.AfterFunc(ctx, stop)
	if os.Getenv("GOGC") == "" {
		collectLess()
	}
	os.Exit(run(ctx, os.Args[1:], os.LookupEnv, os.Stdout, os.Stderr))
}

// Exit codes.
const (
	exitOK    = 0
	exitError = 1
	exitUsage = 2
)

type command struct {
	name, help string
	settings   []string // which it takes; nil means all
	run        func(ctx context.Context, c *config, stdout, stderr io.Writer) error
	operand    string                                                 // besides its flags; in brackets: optional
	misfit     func(err error, args []string, stdout io.Writer) error // handles invalid settings; may be nil
	define     func(*config) []setting                                // replaces the server's settings
}

func commands() []command {
	return []command{
		{name: "serve", help: "run the server; this is what happens without a command", run: serve},
		{name: "init", help: "write a commented starter team file, or a team with golden conversations: support, " +
			"research, panel, travel or mcp", operand: "[KIND]", define: initSettings, run: initTeam},
		{name: "validate", help: "check a team file: exit 0, or 1 with every problem named",
			settings: append([]string{"config", "env-file", "model-url", "model", "model-key", "allow-addresses",
				"probe", "json"}, authFlags...), run: validate},
		{name: "test", help: "play golden conversations with their teams: exit 0, or 1 if one comes to something else",
			operand: "PATH", settings: []string{"json", "record", "update", "v"}, define: conversationSettings,
			run: playConversations},
		{name: "chat", help: "speak with an agent of any AG-UI server, or of a team file, in a terminal or from a " +
			"script", define: chatSettings, run: converse},
		{name: "graph", help: "print the agents of a team file, or the built-in team, as a Mermaid flowchart",
			define: graphSettings, run: graph},
		{name: "doctor", help: "check an installation with the settings of serve: exit 0, or 1 if something is wrong",
			settings: append(serverFlags(), "json"), run: examine, misfit: misfit},
		{name: "key", help: "make an API key: its line for -keys-file on stdout, the key on stderr", operand: "NAME",
			define: keySettings, run: key},
		{name: "export", help: "write all that the store has of a principal, as JSON lines",
			settings: []string{"store", "env-file"}, operand: "PRINCIPAL", run: export},
		{name: "delete", help: "delete all that the store has of a principal",
			settings: []string{"store", "env-file", "yes"}, operand: "PRINCIPAL", run: erase},
		{name: "config", help: "print the settings that count, and where each comes from; secrets are masked",
			settings: append(serverFlags(), "json"), run: showConfig},
		{name: "backup", help: "copy the store's file to a new one, while a gateway with an -admin-addr runs too",
			settings: []string{"store", "env-file", "admin-addr"}, operand: "FILE", run: backup},
		{name: "restore", help: "put a copy in the place of the store's file, which must not be there",
			settings: []string{"store", "env-file"}, operand: "FILE", run: restore},
		{name: "healthcheck", help: "exit 0 if the local server is ready",
			settings: []string{"addr", "env-file", "tls-cert"}, run: healthcheck},
		{name: "version", help: "print version, commit, date, Go and platform of this binary",
			settings: []string{"json"}, run: version},
	}
}

func serverFlags() []string {
	var names []string
	for _, s := range (&config{}).settings() {
		names = append(names, s.flag)
	}
	return names
}

// run runs a command line and returns the exit code. It returns when the command ends, or soon after ctx is done.
func run(ctx context.Context, args []string, env func(string) (string, bool), stdout, stderr io.Writer) int {
	name := "serve"
	named := len(args) > 0 && !strings.HasPrefix(args[0], "-")
	if named {
		name, args = args[0], args[1:]
	}
	if name == "help" {
		return printUsage(stdout)
	}
	for _, cmd := range commands() {
		if cmd.name != name {
			continue
		}
		c, err := parse(cmd, args, env)
		var misuse usageError
		var ended exitCode
		switch {
		case err == nil:
			err = cmd.run(ctx, c, stdout, stderr)
		case cmd.misfit != nil && !errors.As(err, &misuse) && !errors.Is(err, flag.ErrHelp):
			err = cmd.misfit(err, args, stdout)
		}
		switch {
		case err == nil:
			return exitOK
		case errors.As(err, &ended):
			return int(ended)
		case errors.Is(err, flag.ErrHelp) && named:
			return printHelp(stdout, cmd)
		case errors.Is(err, flag.ErrHelp):
			return max(printUsage(stdout), printHelp(stdout, cmd))
		case errors.As(err, &misuse):
			printError(stderr, err)
			return exitUsage
		default:
			printError(stderr, err)
			return exitError
		}
	}
	printError(stderr, fmt.Errorf("there is no command %q", name))
	printUsage(stderr)
	return exitUsage
}

// printError prints err. A failed write is ignored: the exit code reports the error too.
func printError(w io.Writer, err error) { _, _ = fmt.Fprintf(w, "gateway: %v\n", err) }

// A usageError is a command line that cannot be understood.
type usageError struct{ text string }

func (e usageError) Error() string { return e.text }

// An exitCode ends the program with this code, after all output.
type exitCode int

func (e exitCode) Error() string { return "exit code " + strconv.Itoa(int(e)) }

func printUsage(w io.Writer) int {
	var b strings.Builder
	b.WriteString("usage: gateway [command] [flags]\n\n")
	for _, cmd := range commands() {
		fmt.Fprintf(&b, "  %-12s %s\n", cmd.name, cmd.help)
	}
	b.WriteString("\n`gateway <command> -h` lists a command's flags.\n\n")
	return print(w, b.String())
}

func print(w io.Writer, s string) int {
	if _, err := io.WriteString(w, s); err != nil {
		return exitError
	}
	return exitOK
}
