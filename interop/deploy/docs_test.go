package deploy

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A way is how a command of docs/deploy.md is tested.
type way struct {
	begin string // of the command
	test  func(t *testing.T, command string)
}

// elsewhere is for commands that another test executes, or that nothing here can: docs/deploy.md says which.
func elsewhere(*testing.T, string) {}

var ways = []way{
	{"docker build", elsewhere}, // TestImageBuildsFromItsContext of internal/house does what it does
	{"docker run", elsewhere},
	{"docker compose", composeCommand},
	{"SITE=gateway.example.org PUBLISH=443:443 docker compose", composeCommand},
	{"bash deploy/compose/secrets.sh", elsewhere}, // TestComposeAtWork
	{"kubectl create secret", secretCommand},
	{"helm install", helmCommand},
	{"install ", installCommand},
	{"/usr/local/bin/agui-gateway", installCommand},
	{"systemctl", elsewhere},
	{"make release", makeCommand("deploy/release/release.sh")},
	{"make module-zip", makeCommand("deploy/release/module.sh")},
}

// TestCommandsOfTheDocumentation executes each command of docs/deploy.md as far as that is possible here.
func TestCommandsOfTheDocumentation(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root, "docs", "deploy.md"))
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		for command := range strings.Lines(block[1]) {
			command = strings.TrimSpace(command)
			count++
			i := slices.IndexFunc(ways, func(w way) bool { return strings.HasPrefix(command, w.begin) })
			if i < 0 {
				t.Errorf("nothing tests %q", command)
				continue
			}
			t.Run(command, func(t *testing.T) { ways[i].test(t, command) })
		}
	}
	if count < 15 {
		t.Errorf("docs/deploy.md has %d commands, want 15 or more", count)
	}
}

// composeCommand wants the file, the variables and the flags that the command names to be known.
func composeCommand(t *testing.T, command string) {
	t.Helper()
	file := regexp.MustCompile(`-f (\S+)`).FindStringSubmatch(command)
	text, err := os.ReadFile(filepath.Join(root, file[1]))
	if err != nil {
		t.Fatal(err)
	}
	for _, variable := range regexp.MustCompile(`\b([A-Z]+)=`).FindAllStringSubmatch(command, -1) {
		if !strings.Contains(string(text), "${"+variable[1]+":-") {
			t.Errorf("%s does not take %s", file[1], variable[1])
		}
	}
}

// secretCommand wants the chart to look for the secret by this name, and for its key.
func secretCommand(t *testing.T, command string) {
	t.Helper()
	words := strings.Fields(command)
	values, err := os.ReadFile(filepath.Join(chart, "values.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	key := regexp.MustCompile(`^--from-(?:literal|file)=([a-z]+)`).FindStringSubmatch(words[5])[1]
	if !regexp.MustCompile(`existingSecret: ` + words[4] + `\b.*\n\s+key: ` + key + `\n`).Match(values) {
		t.Errorf("the chart does not look for the key %s of the secret %s", key, words[4])
	}
}

// helmCommand renders what the command would install.
func helmCommand(t *testing.T, command string) {
	t.Helper()
	words := strings.Fields(strings.Replace(command, "deploy/helm/agui-gateway", chart, 1))
	args := append([]string{"template"}, words[2:]...)
	if out, err := output(t, tool(t, "helm"), append(args, "--kube-version", "1.30.0")...); err != nil || !strings.Contains(out, "kind: Service\n") {
		t.Errorf("%v\n%s", err, out)
	}
}

// installCommand installs below another root.
func installCommand(t *testing.T, command string) {
	t.Helper()
	other := t.TempDir()
	for _, dir := range []string{"/usr/local/bin", "/etc/systemd/system", "/etc/agui-gateway"} {
		if err := os.MkdirAll(other+dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if rest, ok := strings.CutPrefix(command, "/usr/local/bin/agui-gateway"); ok {
		command = gateway(t) + rest
	}
	command = strings.NewReplacer(" /usr/", " "+other+"/usr/", " /etc/", " "+other+"/etc/", " bin/gateway ", " "+gateway(t)+" ").Replace(command)
	if out, err := output(t, "sh", "-euc", "cd "+root+" && "+command); err != nil {
		t.Errorf("%s: %v\n%s", command, err, out)
	}
}

// makeCommand wants the target of make to run a script with the version.
func makeCommand(script string) func(*testing.T, string) {
	return func(t *testing.T, command string) {
		t.Helper()
		out, err := output(t, "sh", "-euc", "cd "+root+" && "+strings.Replace(command, "make ", "make --dry-run ", 1))
		if err != nil || !strings.Contains(out, `VERSION="v1.2.3" bash `+script) {
			t.Errorf("%s: %v\n%s", command, err, out)
		}
	}
}
