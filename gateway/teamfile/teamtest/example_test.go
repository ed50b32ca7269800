package teamtest_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/agui-gateway/gateway/gateway/teamfile/teamtest"
)

// conversationFiles are a team and a conversation with it.
var conversationFiles = map[string]string{
	"team.yaml":       "version: 1\nagents: { greeter: { type: script, steps: [ { say: Hello. } ] } }\n",
	"hello_test.yaml": "team: team.yaml\nconversation:\n  - user: Hi\n  - expect: { says: Good day. }\n",
}

func ExampleRun() {
	dir, err := os.MkdirTemp("", "example")
	for name, text := range conversationFiles {
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }() // it is where such files are
	results, err := teamtest.Run(context.Background(), dir, teamtest.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	var out bytes.Buffer
	for _, r := range results {
		if err := r.Write(&out, false); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Print(strings.ReplaceAll(out.String(), dir+string(filepath.Separator), ""))
	// Output:
	// FAIL  hello_test.yaml (1 runs)
	//   hello_test.yaml:4:21: nobody says this
	//       - expected, + what came
	//       - Good day.
	//       + greeter: Hello.
}
