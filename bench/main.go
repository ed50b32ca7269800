package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// commands are what the program can be asked for.
var commands = map[string]func(ctx context.Context, args []string) error{
	"compare":  compareCommand,
	"floor":    floorCommand,
	"hold":     holdCommand,
	"load":     loadCommand,
	"model":    modelCommand,
	"scale":    scaleCommand,
	"simulate": simulateCommand,
	"targets":  targetsCommand,
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if len(os.Args) < 2 || commands[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr,
			"usage: bench compare | hold | targets | scale | simulate | load | model | floor [flags]; -h after one "+
				"of them lists its flags")
		os.Exit(2)
	}
	err := commands[os.Args[1]](ctx, os.Args[2:])
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}
