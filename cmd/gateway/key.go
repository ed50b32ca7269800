package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/agui-gateway/gateway/gateway/auth"
)

// keySettings are the settings of `gateway key`.
func keySettings(c *config) []setting {
	return []setting{{"roles", "", "roles of the key, with commas between", text(&c.roles)}}
}

// key makes an API key. The line for the keys file goes to stdout and the key to stderr, this once.
func key(_ context.Context, c *config, stdout, stderr io.Writer) error {
	var roles []string
	if c.roles != "" {
		roles = strings.Split(c.roles, ",")
	}
	key, line, err := auth.GenerateKey(c.operand, roles...)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(stdout, line); err != nil {
		return err // without its line the key is useless
	}
	_, err = fmt.Fprintf(stderr, "The key of %s, which is not shown again:\n%s\n", c.operand, key)
	return err
}
