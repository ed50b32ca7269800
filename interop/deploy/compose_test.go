package deploy

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"github.com/agui-gateway/gateway/internal/port"
)

var composeDir = filepath.Join(root, "deploy", "compose")

// readYAML returns a file below deploy/, anchors resolved.
func readYAML(t *testing.T, path string) (file object) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "deploy", path))
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	return file
}

// readCompose returns the services of deploy/compose.
func readCompose(t *testing.T) (services object) {
	t.Helper()
	return at(readYAML(t, "compose/compose.yaml"), "services").(object)
}

// TestComposeContains wants each container to have as few rights as it can do with, and nothing published beyond this
// machine.
func TestComposeContains(t *testing.T) {
	t.Parallel()
	services := readCompose(t)
	if len(services) != 6 {
		t.Errorf("there are %d services, want 2 gateways, Redis, a balancer, Prometheus and Grafana", len(services))
	}
	for name, s := range services {
		if at(s, "read_only") != true || at(s, "cap_drop", 0) != "ALL" || at(s, "security_opt", 0) != "no-new-privileges:true" || at(s, "logging", "options", "max-size") == nil {
			t.Errorf("%s has rights, or room for logs, that it does not need", name)
		}
		if added := at(s, "cap_add"); added != nil && (name != "balancer" || fmt.Sprint(added) != "[NET_BIND_SERVICE]") {
			t.Errorf("%s may %v", name, added)
		}
		ports, _ := at(s, "ports").([]any)
		for _, port := range ports {
			if text := fmt.Sprint(port); !strings.HasPrefix(text, "127.0.0.1:") && !strings.HasPrefix(text, "${PUBLISH:-127.0.0.1:") {
				t.Errorf("%s: %s can be reached from beyond this machine", name, text)
			}
		}
		variables, _ := at(s, "environment").(object)
		for variable, value := range variables {
			if regexp.MustCompile(`PASSWORD|SECRET|STORE|API_KEY`).MatchString(variable) && !strings.HasPrefix(fmt.Sprint(value), "/run/secrets/") {
				t.Errorf("%s: %s is not in a file", name, variable)
			}
		}
		if image := fmt.Sprint(at(s, "image")); at(s, "build") == nil && !regexp.MustCompile(`^[a-z/]+:v?[0-9]+\.[0-9]+`).MatchString(image) {
			t.Errorf("%s: image %s has no fixed tag", name, image)
		}
	}
}

// TestComposeMountsWhatIsRead wants files where their readers look for them.
func TestComposeMountsWhatIsRead(t *testing.T) {
	t.Parallel()
	mounted := map[string]string{} // sources by service and place
	for name, s := range readCompose(t) {
		volumes, _ := at(s, "volumes").([]any)
		for _, v := range volumes {
			parts := strings.Split(fmt.Sprint(v), ":")
			mounted[name+":"+parts[1]] = parts[0]
			if _, err := os.Stat(filepath.Join(composeDir, parts[0])); strings.HasPrefix(parts[0], ".") && (err != nil || parts[len(parts)-1] != "ro") {
				t.Errorf("%s mounts %s, which has to be there, and read-only: %v", name, v, err)
			}
		}
	}
	dashboards := readYAML(t, "grafana/provisioning/dashboards/agui-gateway.yaml")
	sources := readYAML(t, "grafana/provisioning/datasources/prometheus.yaml")
	got := fmt.Sprint(mounted["grafana:/etc/grafana/provisioning"], mounted[fmt.Sprint("grafana:", at(dashboards, "providers", 0, "options", "path"))],
		at(sources, "datasources", 0, "url"), mounted["prometheus:/etc/prometheus"])
	if want := fmt.Sprint("../grafana/provisioning", "../grafana/dashboards", "http://prometheus:9090", "../prometheus"); got != want {
		t.Errorf("Grafana and Prometheus read %s, want %s", got, want)
	}
}

// A deployment is what compose.yaml starts, as processes of this machine: the same programs, configuration files,
// variables and secrets; only addresses are others.
type deployment struct {
	redis, balancer, prometheus *process
	replicas                    [2]*process
	secrets                     string // directory
	key                         string // of a caller
	url, prometheusURL          string
	redisPort                   int
}

// inContainer is what a path inside of a container is here.
func (d *deployment) inContainer(path string) string {
	return strings.NewReplacer("/run/secrets/gateway_env", d.secrets+"/gateway.env", "/run/secrets/redis_conf", d.secrets+"/redis.conf", "/run/secrets/", d.secrets+"/",
		"/etc/redis/", composeDir+"/").Replace(path)
}

// words is a command of compose.yaml, here.
func (d *deployment) words(command any) (words []string) {
	for _, w := range command.([]any) {
		words = append(words, d.inContainer(fmt.Sprint(w)))
	}
	return words
}

// deploy starts the services of compose.yaml and waits until the balancer has a replica that is ready.
func deploy(t *testing.T, team string) *deployment {
	t.Helper()
	services := readCompose(t)
	d := &deployment{secrets: t.TempDir(), redisPort: port.ForTest(t).Port()}
	d.makeSecrets(t)

	redis := d.words(at(services, "redis", "command"))
	d.redis = start(t, "redis", nil, redis[0], append(redis[1:], "--bind", "127.0.0.1", "--port", fmt.Sprint(d.redisPort), "--dir", t.TempDir())...)
	upstreams, admins := "", ""
	for i, name := range []string{"replica-a", "replica-b"} {
		env := map[string]string{}
		for variable, value := range at(services, name, "environment").(object) {
			env[variable] = d.inContainer(fmt.Sprint(value))
		}
		env["GATEWAY_ADDR"], env["GATEWAY_ADMIN_ADDR"], env["GATEWAY_TRUSTED_PROXIES"], env["GATEWAY_CONFIG"] = "127.0.0.1:0", "127.0.0.1:0", "127.0.0.1", team
		delete(env, "GATEWAY_ADMIN_AUTH") // a loopback address needs none
		env["GATEWAY_RATE"] = "0"         // the test asks more often than a caller may
		d.replicas[i] = start(t, name, env, gateway(t), d.words(at(services, name, "command"))...)
	}
	for _, replica := range d.replicas {
		admins += ", " + replica.logged(t, `\badmin: .*http://(127\.0\.0\.1:\d+)`)
		upstreams += " " + replica.logged(t, `\blistening\b.*http://(127\.0\.0\.1:\d+)`)
	}
	balancer := port.ForTest(t)
	d.url = "http://" + balancer.Addr()
	d.balancer = start(t, "balancer", map[string]string{
		"SITE": fmt.Sprintf("http://:%d", balancer.Port()), "BIND": "127.0.0.1", "UPSTREAMS": strings.TrimSpace(upstreams), "STORAGE": t.TempDir(),
	}, "caddy", "run", "--config", filepath.Join(composeDir, "Caddyfile"), "--adapter", "caddyfile")
	d.startPrometheus(t, services, strings.TrimPrefix(admins, ", "))
	d.balancer.until(t, "the balancer has a replica", func() bool { return d.status(t, "/readyz", "", "") == http.StatusOK })
	return d
}

// makeSecrets runs secrets.sh, and has the gateways look for Redis here.
func (d *deployment) makeSecrets(t *testing.T) {
	t.Helper()
	out, err := output(t, "env", "SECRETS="+d.secrets, "GATEWAY_BIN="+gateway(t), "bash", filepath.Join(composeDir, "secrets.sh"), "ada")
	d.key = regexp.MustCompile(`key_[a-z0-9]+`).FindString(out)
	if err != nil || d.key == "" {
		t.Fatalf("secrets.sh: %v\n%s", err, out)
	}
	if again, err := output(t, "env", "SECRETS="+d.secrets, "GATEWAY_BIN="+gateway(t), "bash", filepath.Join(composeDir, "secrets.sh")); err != nil || strings.Contains(again, "key_") {
		t.Errorf("secrets.sh has made a second key: %v\n%s", err, again)
	}
	for name, secret := range at(readYAML(t, "compose/compose.yaml"), "secrets").(object) {
		if info, err := os.Stat(filepath.Join(d.secrets, filepath.Base(fmt.Sprint(at(secret, "file"))))); err != nil || info.Size() == 0 || info.Mode().Perm() != 0o644 {
			t.Errorf("the secret %s is not one that every container's user can read: %v, %v", name, info, err)
		}
	}
	file := filepath.Join(d.secrets, "gateway.env")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(text), "@redis:6379", fmt.Sprintf("@127.0.0.1:%d", d.redisPort), 1)), 0o600); err != nil {
		t.Fatal(err)
	}
}

// startPrometheus starts Prometheus on the files of deploy/prometheus, with these replicas as its targets.
func (d *deployment) startPrometheus(t *testing.T, services object, admins string) {
	t.Helper()
	config := t.TempDir()
	if err := os.CopyFS(config, os.DirFS(filepath.Join(root, "deploy", "prometheus"))); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(config, "prometheus.yml"))
	if err != nil || !strings.Contains(string(text), "names: [replica-a, replica-b]") || !strings.Contains(string(text), "port: 9464") {
		t.Fatalf("the targets of Prometheus are not the replicas of compose.yaml: %v\n%s", err, text)
	}
	if err := os.WriteFile(filepath.Join(config, "targets", "gateways.yml"), []byte("- targets: ["+admins+"]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	addr := port.ForTest(t).Addr()
	d.prometheusURL = "http://" + addr
	args := []string{"--web.listen-address=" + addr}
	for _, word := range d.words(at(services, "prometheus", "command")) {
		args = append(args, strings.NewReplacer("/etc/prometheus", config, "=/prometheus", "="+t.TempDir()).Replace(word))
	}
	d.prometheus = start(t, "prometheus", nil, "prometheus", args...)
}

// status asks the balancer and returns the status of the answer, 0 if there was none.
func (d *deployment) status(t *testing.T, path, key, body string) int {
	t.Helper()
	response, err := request(t.Context(), d.url+path, key, body)
	if err != nil {
		return 0
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, response.Body)
	return response.StatusCode
}

// query asks Prometheus for the answer to a question, as text.
func (d *deployment) query(t *testing.T, path string) string {
	t.Helper()
	response, err := request(t.Context(), d.prometheusURL+path, "", "")
	if err != nil {
		return ""
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body)
	return string(text)
}

const deployedTeam = `version: 1
agents:
  short: { type: script, steps: [ { say: one } ] }
  long: { type: script, steps: [ { say: one }, { sleep: 1h } ] }
`

func input(thread string) string {
	return `{"protocolVersion":"1.0","threadId":"` + thread + `","runId":"r","messages":[{"id":"m","role":"user","content":"Hi"}]}`
}

// TestComposeAtWork starts what compose.yaml starts, without containers, and uses it.
func TestComposeAtWork(t *testing.T) {
	t.Parallel()
	team := filepath.Join(t.TempDir(), "team.yaml")
	if err := os.WriteFile(team, []byte(deployedTeam), 0o600); err != nil {
		t.Fatal(err)
	}
	d := deploy(t, team)

	// Callers have to prove who they are, and Redis has its password and keeps its data.
	if status := d.status(t, "/agents/short", "", input("nobody")); status != http.StatusUnauthorized {
		t.Errorf("a run without a key is answered with %d, want 401", status)
	}
	cli := []string{"-p", fmt.Sprint(d.redisPort)}
	if out, _ := output(t, "redis-cli", append(cli, "ping")...); !strings.Contains(out, "NOAUTH") {
		t.Errorf("Redis answers without a password: %s", out)
	}
	conf, err := os.ReadFile(filepath.Join(d.secrets, "redis.conf"))
	if err != nil {
		t.Fatal(err)
	}
	cli = append(cli, "--no-auth-warning", "-a", strings.TrimSpace(strings.TrimPrefix(string(conf), "requirepass ")))
	if out, err := output(t, "redis-cli", append(cli, "config", "get", "maxmemory-policy", "appendonly")...); err != nil || !strings.Contains(out, "noeviction") || !strings.Contains(out, "yes") {
		t.Errorf("Redis has %s, %v", out, err)
	}

	d.passesStreamsOn(t)
	d.isScraped(t)
	d.leavesUnnoticed(t)
}

// passesStreamsOn reads from a live run: the balancer keeps nothing back.
func (d *deployment) passesStreamsOn(t *testing.T) {
	t.Helper()
	response, err := request(t.Context(), d.url+"/agents/long", d.key, input("long"))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	lines, last := bufio.NewScanner(response.Body), ""
	for lines.Scan() && !strings.Contains(lines.Text(), `"TEXT_MESSAGE_END"`) {
		continue
	}
	if status := d.status(t, "/threads/long/stop", d.key, "{}"); status != http.StatusOK {
		t.Errorf("stop, by whichever replica, is answered with %d", status)
	}
	for lines.Scan() {
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			last = data
		}
	}
	if !strings.Contains(last, `"cancelled"`) {
		t.Errorf("the stream ended with %s, want cancelled", last)
	}
}

// isScraped waits until Prometheus has both replicas, and looks at its rules.
func (d *deployment) isScraped(t *testing.T) {
	t.Helper()
	d.prometheus.until(t, "Prometheus has scraped both replicas", func() bool {
		return strings.Contains(d.query(t, `/api/v1/query?query=count(gateway_build_info{job="agui-gateway"})`), `"2"]`)
	})
	if rules := d.query(t, "/api/v1/rules"); !strings.Contains(rules, `"type":"alerting"`) || strings.Contains(rules, `"health":"err"`) {
		t.Errorf("the rules are %s", rules)
	}
}

// leavesUnnoticed tells a replica to end while there are requests. None is refused.
func (d *deployment) leavesUnnoticed(t *testing.T) {
	t.Helper()
	d.replicas[0].end(t)
	for i, gone := 0, false; !gone; i++ {
		if status := d.status(t, "/agents/short", d.key, input(fmt.Sprintf("t%d", i))); status != http.StatusOK {
			t.Fatalf("request %d while a replica leaves is answered with %d, want 200", i, status)
		}
		select {
		case <-d.replicas[0].ended:
			gone = true
		default:
		}
	}
	if code := d.replicas[0].cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("the replica ended with %d", code)
	}
}
