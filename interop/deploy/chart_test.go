package deploy

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

var chart = filepath.Join(root, "deploy", "helm", "agui-gateway")

// An object is one of Kubernetes', as in YAML.
type object = map[string]any

// at walks down an object: names of members, and numbers of list elements. Missing values are nil.
func at(v any, path ...any) any {
	for _, p := range path {
		switch key := p.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[key]
		case int:
			list, _ := v.([]any)
			if key >= len(list) {
				return nil
			}
			v = list[key]
		}
	}
	return v
}

// helm runs helm template. Built by go install it takes the cluster for an old one, so that the version is set.
func helm(t *testing.T, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), tool(t, "helm"), append([]string{"template", "team", chart, "--kube-version", "1.30.0"}, args...)...)
	out, err := cmd.Output() // beside it helm notes each link that it follows
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return string(exit.Stderr), err
	}
	return string(out), err
}

// render returns the objects that the chart makes of a values file in its directory ci.
func render(t *testing.T, values string, args ...string) map[string]object {
	t.Helper()
	text, err := helm(t, append([]string{"-f", filepath.Join(chart, "ci", values+"-values.yaml")}, args...)...)
	if err != nil {
		t.Fatalf("helm template: %v\n%s", err, text)
	}
	objects := map[string]object{}
	for decoder := yaml.NewDecoder(strings.NewReader(text)); ; {
		var o object
		err := decoder.Decode(&o)
		if errors.Is(err, io.EOF) {
			return objects
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if o != nil {
			objects[kindOf(o)] = o
		}
	}
}

// kindOf is the kind of an object; what a chart makes several of has a second word.
func kindOf(o object) string {
	kind, name := fmt.Sprint(o["kind"]), fmt.Sprint(at(o, "metadata", "name"))
	for _, part := range []string{"admin", "dashboard"} {
		if strings.HasSuffix(name, "-"+part) {
			return kind + "/" + part
		}
	}
	return kind
}

// workload is the Deployment or the StatefulSet among objects.
func workload(objects map[string]object) object {
	if d, ok := objects["Deployment"]; ok {
		return d
	}
	return objects["StatefulSet"]
}

// environment returns the variables of a pod that have a value, and those that refer to a secret.
func environment(pod any) (values, secrets map[string]string) {
	values, secrets = map[string]string{}, map[string]string{}
	list, _ := at(pod, "containers", 0, "env").([]any)
	for _, e := range list {
		name := fmt.Sprint(at(e, "name"))
		if ref := at(e, "valueFrom", "secretKeyRef", "name"); ref != nil {
			secrets[name] = fmt.Sprint(ref)
		} else {
			values[name] = fmt.Sprint(at(e, "value"))
		}
	}
	return values, secrets
}

// TestChartMakesWhatIsMeant says which objects there are for which values.
func TestChartMakesWhatIsMeant(t *testing.T) {
	t.Parallel()
	for values, want := range map[string]string{
		"default": "Deployment NetworkPolicy Pod PodDisruptionBudget Service Service/admin ServiceAccount",
		"redis":   "ConfigMap ConfigMap/dashboard Deployment HorizontalPodAutoscaler Ingress NetworkPolicy Pod PodDisruptionBudget PodMonitor PrometheusRule Service Service/admin ServiceAccount",
		"file":    "NetworkPolicy Pod Service ServiceAccount StatefulSet",
		"memory":  "Pod Service Service/admin StatefulSet",
	} {
		t.Run(values, func(t *testing.T) {
			t.Parallel()
			var kinds []string
			for kind := range render(t, values) {
				kinds = append(kinds, kind)
			}
			slices.Sort(kinds)
			if got := strings.Join(kinds, " "); got != want {
				t.Errorf("the chart makes %s, want %s", got, want)
			}
		})
	}
	files, err := os.ReadDir(filepath.Join(chart, "ci"))
	if err != nil || len(files) != 4 {
		t.Errorf("%d values files in the chart's ci, %v; name each above", len(files), err)
	}
}

// TestPodsHaveNoRights wants each pod of the chart to be what the strictest of Kubernetes' standards for pods asks for,
// and more.
func TestPodsHaveNoRights(t *testing.T) {
	t.Parallel()
	for _, values := range []string{"default", "redis", "file", "memory"} {
		objects := render(t, values)
		for _, pod := range []any{at(workload(objects), "spec", "template", "spec"), at(objects["Pod"], "spec")} {
			for _, want := range []struct {
				value any
				path  []any
			}{
				{false, []any{"automountServiceAccountToken"}},
				{false, []any{"enableServiceLinks"}},
				{true, []any{"securityContext", "runAsNonRoot"}},
				{65532, []any{"securityContext", "runAsUser"}},
				{"RuntimeDefault", []any{"securityContext", "seccompProfile", "type"}},
				{true, []any{"containers", 0, "securityContext", "readOnlyRootFilesystem"}},
				{false, []any{"containers", 0, "securityContext", "allowPrivilegeEscalation"}},
				{"ALL", []any{"containers", 0, "securityContext", "capabilities", "drop", 0}},
				{nil, []any{"containers", 1}},
			} {
				if got := at(pod, want.path...); got != want.value {
					t.Errorf("%s: %v of a pod is %v, want %v", values, want.path, got, want.value)
				}
			}
		}
	}
}

// TestSecretsAreReferredTo wants no value of a secret in what the chart makes, and no object that holds one.
func TestSecretsAreReferredTo(t *testing.T) {
	t.Parallel()
	for values, want := range map[string]string{
		"default": "map[GATEWAY_STORE:agui-gateway-redis]",
		"redis":   "map[GATEWAY_INTERRUPT_WEBHOOK_SECRET:webhook GATEWAY_STORE:threads]",
		"file":    "map[]",
		"memory":  "map[]",
	} {
		objects := render(t, values)
		if objects["Secret"] != nil {
			t.Errorf("%s: the chart makes a secret", values)
		}
		if _, secrets := environment(at(workload(objects), "spec", "template", "spec")); fmt.Sprint(secrets) != want {
			t.Errorf("%s: variables from secrets are %v, want %s", values, secrets, want)
		}
	}
	pod := at(workload(render(t, "redis")), "spec", "template", "spec")
	if got := at(pod, "containers", 0, "envFrom", 0, "secretRef", "name"); got != "models" {
		t.Errorf("the team file's variables are from %v, want models", got)
	}
}

// TestPodsEndInTime wants a pod to have time for all that it does after SIGTERM.
func TestPodsEndInTime(t *testing.T) {
	t.Parallel()
	pod := at(workload(render(t, "redis")), "spec", "template", "spec")
	values, _ := environment(pod)
	if values["GATEWAY_DRAIN_DELAY"] != "10s" || values["GATEWAY_DRAIN"] != "60s" || at(pod, "terminationGracePeriodSeconds") != 80 {
		t.Errorf("the gateway leaves for %s and drains for %s, and the pod has %v s, want 10s, 60s and 80 s",
			values["GATEWAY_DRAIN_DELAY"], values["GATEWAY_DRAIN"], at(pod, "terminationGracePeriodSeconds"))
	}
	for probe, want := range map[string]string{"startupProbe": "/healthz", "livenessProbe": "/healthz", "readinessProbe": "/readyz"} {
		get := at(pod, "containers", 0, probe, "httpGet")
		if at(get, "path") != want || at(get, "port") != "http" || at(get, "scheme") != "HTTPS" {
			t.Errorf("%s asks %v, want %s by HTTPS", probe, get, want)
		}
	}
}

// TestAFileBelongsToOnePod is the chart without Redis.
func TestAFileBelongsToOnePod(t *testing.T) {
	t.Parallel()
	set := render(t, "file", "--set", "replicas=5")["StatefulSet"]
	values, _ := environment(at(set, "spec", "template", "spec"))
	got := fmt.Sprint(at(set, "spec", "replicas"), values["GATEWAY_STORE"], values["GATEWAY_STORE_LIMIT"],
		at(set, "spec", "template", "spec", "containers", 0, "volumeMounts", 0, "mountPath"), at(set, "spec", "template", "spec", "securityContext", "fsGroup"),
		at(set, "spec", "volumeClaimTemplates", 0, "spec", "resources", "requests", "storage"))
	if want := fmt.Sprint(1, "file:/data/threads.db", "1536MiB", "/data", 65532, "2Gi"); got != want {
		t.Errorf("the StatefulSet has %s, want %s", got, want)
	}
}

// TestAutoscalingIsByOpenRuns holds the metric to the name under which Prometheus has it.
func TestAutoscalingIsByOpenRuns(t *testing.T) {
	t.Parallel()
	objects := render(t, "redis")
	pods := at(objects["HorizontalPodAutoscaler"], "spec", "metrics", 0)
	if at(pods, "type") != "Pods" || at(pods, "pods", "metric", "name") != "gateway_open_runs" || at(pods, "pods", "target", "averageValue") != "200" {
		t.Errorf("the first metric is %v, want gateway_open_runs of pods", pods)
	}
	if metrics, err := os.ReadFile(filepath.Join(root, "docs", "metrics.md")); err != nil || !strings.Contains(string(metrics), "gateway_open_runs") {
		t.Errorf("docs/metrics.md does not have gateway_open_runs: %v", err)
	}
	if replicas := at(objects["Deployment"], "spec", "replicas"); replicas != nil {
		t.Errorf("the Deployment says %v replicas, which the autoscaler decides", replicas)
	}
}

// TestChartBringsAlertsAndDashboard wants the files of deploy/prometheus and deploy/grafana, whole.
func TestChartBringsAlertsAndDashboard(t *testing.T) {
	t.Parallel()
	objects := render(t, "redis")
	dashboard, err := os.ReadFile(filepath.Join(root, "deploy", "grafana", "dashboards", "agui-gateway.json"))
	if err != nil || at(objects["ConfigMap/dashboard"], "data", "agui-gateway.json") != string(dashboard) {
		t.Errorf("the dashboard in the chart is another: %v", err)
	}
	alerts, err := os.ReadFile(filepath.Join(root, "deploy", "prometheus", "rules", "alerts.yml"))
	if err != nil {
		t.Fatal(err)
	}
	made, err := yaml.Marshal(objects["PrometheusRule"])
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Count(string(alerts), "alert: ")
	if got := strings.Count(string(made), "alert: "); want < 10 || got != want {
		t.Errorf("the chart makes %d alerts, the file has %d", got, want)
	}
}

// TestChartRefuses gives the chart values that could not work. helm names the problem before anything is made.
func TestChartRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, set, want string }{
		{"a value nobody knows", "replica=3", "replica"},
		{"a setting nobody knows", "settings.run-time=1m", "run-time"},
		{"a setting that has its own place", "settings.store=memory", "store"},
		{"a secret as text", "settings.model-key=k", "model-key"},
		{"no replica", "replicas=0", "replicas"},
		{"a store nobody has", "store.type=postgres", "store/type"},
		{"Redis without its secret", "store.redis.existingSecret=", "existingSecret"},
		{"keys without their secret", "auth.keys.existingSecret=", "existingSecret"},
		{"tokens without an issuer", "auth.mode=jwt", "auth/jwt"},
		{"headers from anybody", "auth.mode=header,auth.header.user=X-User", "proxies"},
		{"several replicas on a file", "store.type=file,autoscaling.enabled=true", "store/type"},
		{"an autoscaler without a measure", "autoscaling.enabled=true,autoscaling.openRuns=0", "autoscaling"},
		{"an ingress for nobody", "ingress.enabled=true", "ingress/hosts"},
		{"a team twice", "team.file=version: 1,team.existingConfigMap=x", "existingConfigMap"},
		{"an image that changes", "image.tag=latest", "image/tag"},
		{"a digest that is none", "image.digest=sha256:abc", "image/digest"},
		{"a limit in Kubernetes' units", "store.file.limit=1Gi", "store/file/limit"},
		{"drain as text", "drain.delaySeconds=5s", "drain/delaySeconds"},
		{"no replica may be missing", "podDisruptionBudget.maxUnavailable=0", "maxUnavailable"},
		{"a privileged port", "metrics.port=80", "metrics/port"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if out, err := helm(t, "--set", tt.set); err == nil || !strings.Contains(out, "schema") || !strings.Contains(out, tt.want) {
				t.Errorf("helm template --set %s: %v, want an error of the schema that names %s\n%s", tt.set, err, tt.want, out)
			}
		})
	}
}
