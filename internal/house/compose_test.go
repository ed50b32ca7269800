package house

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

// A compose is as much of a compose file as its promises are about.
type compose struct {
	Services map[string]composeService `yaml:"services"`
	Volumes  map[string]any            `yaml:"volumes"`
}

type composeService struct {
	Build       string            `yaml:"build"`
	Image       string            `yaml:"image"`
	Environment map[string]string `yaml:"environment"`
	Command     []string          `yaml:"command"`
	Ports       []string          `yaml:"ports"`
	Volumes     []string          `yaml:"volumes"`
	DependsOn   map[string]any    `yaml:"depends_on"`
}

// TestCompose judges examples/replicas/compose.yaml as text, for where no Docker daemon runs it cannot be started.
func TestCompose(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(root, "examples", "replicas")
	text, err := os.ReadFile(filepath.Join(dir, "compose.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range checkCompose(dir, text) {
		t.Error(problem)
	}
}

func TestCheckCompose(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(root, "examples", "replicas")
	text, err := os.ReadFile(filepath.Join(dir, "compose.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, old, new, want string }{
		{"published to everybody", `"127.0.0.1:8080:8080"`, `"8080:8080"`, "beyond this machine"},
		{"nobody said who may call", "    GATEWAY_AUTH: none\n", "", "GATEWAY_AUTH"},
		{"one replica", "  replica-b: *gateway\n", "", "two gateways"},
		{"memory", "    GATEWAY_STORE: redis://redis:6379\n", "", "GATEWAY_STORE"},
		{"a Redis that forgets", `--appendonly, "yes", `, "", "--appendonly"},
		{"a replica that gets nothing", "replica-a:8080 replica-b:8080", "replica-a:8080", "UPSTREAMS"},
		{"floating image", "redis:7.2", "redis:latest", "no fixed tag"},
		{"nothing to build", "build: ../..", "build: ..", "no Dockerfile"},
		{"a file that is not there", "./Caddyfile:", "./Caddyfail:", "Caddyfail"},
		{"a volume nobody declared", "redis:/data", "data:/data", "volume data"},
		{"an unknown dependency", "      replica-b:\n", "      replica-c:\n", "replica-c"},
		{"no YAML", "services:", "services: [", "yaml"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			changed := strings.Replace(string(text), tt.old, tt.new, 1)
			if changed == string(text) {
				t.Fatalf("compose.yaml has no %q", tt.old)
			}
			got := checkCompose(dir, []byte(changed))
			if !slices.ContainsFunc(got, func(problem string) bool { return strings.Contains(problem, tt.want) }) {
				t.Errorf("checkCompose() = %q, want a problem that names %q", got, tt.want)
			}
		})
	}
}

// checkCompose returns one sentence per promise the compose file in dir does not keep.
func checkCompose(dir string, text []byte) (problems []string) {
	var c compose
	if err := yaml.Unmarshal(text, &c); err != nil {
		return []string{err.Error()}
	}
	gateways := 0
	for name, s := range c.Services {
		switch {
		case s.Build != "":
			gateways++
			problems = append(problems, c.checkGateway(dir, name)...)
		case !pinned.MatchString(s.Image) || strings.HasSuffix(s.Image, ":latest"):
			problems = append(problems, fmt.Sprintf("%s: image %s has no fixed tag", name, s.Image))
		}
		for _, port := range s.Ports {
			if !strings.HasPrefix(port, "127.0.0.1:") {
				problems = append(problems, fmt.Sprintf("%s: %s can be reached from beyond this machine", name, port))
			}
		}
		problems = append(problems, c.checkNeeds(dir, name)...)
	}
	if gateways != 2 {
		problems = append(problems, fmt.Sprintf("want two gateways, not %d", gateways))
	}
	if args := strings.Join(c.Services["redis"].Command, " "); !strings.Contains(args, "--appendonly yes") {
		problems = append(problems, "redis keeps nothing: --appendonly is not yes")
	}
	return problems
}

// checkGateway is about a service that is built from this repository.
func (c *compose) checkGateway(dir, name string) (problems []string) {
	s := c.Services[name]
	if _, err := os.Stat(filepath.Join(dir, s.Build, "Dockerfile")); err != nil {
		problems = append(problems, fmt.Sprintf("%s: there is no Dockerfile in %s", name, s.Build))
	}
	if s.Environment["GATEWAY_AUTH"] != "none" {
		problems = append(problems, name+": GATEWAY_AUTH is not written out, so it would not start")
	}
	if !strings.HasPrefix(s.Environment["GATEWAY_STORE"], "redis://redis:") {
		problems = append(problems, name+": GATEWAY_STORE is not the redis beside it")
	}
	if !strings.Contains(c.Services["balancer"].Environment["UPSTREAMS"], name+":8080") {
		problems = append(problems, "balancer: UPSTREAMS lacks "+name)
	}
	return problems
}

// checkNeeds finds what a service names and the file, or the checkout, does not have.
func (c *compose) checkNeeds(dir, name string) (problems []string) {
	for other := range c.Services[name].DependsOn {
		if _, ok := c.Services[other]; !ok {
			problems = append(problems, fmt.Sprintf("%s depends on %s, which is no service", name, other))
		}
	}
	for _, volume := range c.Services[name].Volumes {
		source, _, _ := strings.Cut(volume, ":")
		if strings.HasPrefix(source, ".") {
			if _, err := os.Stat(filepath.Join(dir, source)); err != nil {
				problems = append(problems, fmt.Sprintf("%s mounts %s, which is not there", name, source))
			}
		} else if _, ok := c.Volumes[source]; !ok {
			problems = append(problems, fmt.Sprintf("%s: volume %s is not declared", name, source))
		}
	}
	return problems
}
