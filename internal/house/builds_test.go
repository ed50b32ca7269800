package house

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// builds are the files that build the binary which people get, or which foreign clients are held against.
var builds = []string{"Makefile", "Dockerfile", ".ci/stages/browser.sh", ".ci/stages/interop.sh", ".ci/stages/models.sh", ".ci/stages/neighbours.sh", ".ci/stages/deploy.sh", ".ci/stages/bench.sh"}

var buildOfGateway = regexp.MustCompile(`go build .*\./cmd/gateway\b`)

// TestBuildsLeaveOutPagesOfGRPC because those use templates, which keep the linker from leaving out what nobody calls: 11 MB of it.
func TestBuildsLeaveOutPagesOfGRPC(t *testing.T) {
	t.Parallel()
	for _, file := range builds {
		lines := buildOfGateway.FindAllString(read(t, filepath.Join("..", ".."), file), -1)
		if len(lines) == 0 {
			t.Errorf("%s builds no gateway", file)
		}
		for _, line := range lines {
			if !strings.Contains(line, "-tags grpcnotrace") {
				t.Errorf("%s: %s: without -tags grpcnotrace", file, line)
			}
		}
	}
}
