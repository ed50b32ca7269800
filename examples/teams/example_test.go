package teams_test

import (
	"fmt"

	"github.com/agui-gateway/gateway/examples/teams"
)

// The files of one example.
func Example() {
	files, err := teams.Files.ReadDir("panel")
	if err != nil {
		fmt.Println(err)
	}
	for _, file := range files {
		fmt.Println(file.Name())
	}
	// Output:
	// absent_test.yaml
	// team.yaml
	// verdict_test.yaml
}
