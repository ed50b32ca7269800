// Command ports reserves ports of 127.0.0.1 for the tests in Node: they start programs that cannot choose their own.
//
//	ports 3
//
// prints three ports in one line, and reserves them until its standard input ends.
package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/agui-gateway/gateway/internal/port"
)

func main() {
	if err := reserve(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "ports:", err)
		os.Exit(1)
	}
}

// reserve keeps the sockets open by not closing them: the kernel does that when the process ends.
func reserve(args []string) error {
	count, err := strconv.Atoi(strings.Join(args, " "))
	if err != nil {
		return err
	}
	ports := make([]string, count)
	for i := range ports {
		r, err := port.Reserve()
		if err != nil {
			return err
		}
		ports[i] = strconv.Itoa(r.Port())
	}
	fmt.Println(strings.Join(ports, " "))
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}
