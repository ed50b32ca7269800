package main

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// printed runs `gateway config` and returns what it prints, and its exit code.
func printed(t *testing.T, env map[string]string, args ...string) (code int, out, log string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = run(t.Context(), append([]string{"config"}, args...), environment(env), &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

// TestConfigMasksSecrets puts a secret wherever a setting can have one. It is printed nowhere, and everything else is.
func TestConfigMasksSecrets(t *testing.T) {
	t.Parallel()
	const secret = "hush1hush2hush3hush4"
	secrets := map[string][]string{ // values by variable
		"OPENAI_API_KEY":                  {secret},
		"OPENAI_BASE_URL":                 {"https://me:" + secret + "@models.example/v1", "https://models.example/v1?key=" + secret, "https://models.example/" + secret + "/v1", "http://models.example#" + secret},
		"GATEWAY_STORE":                   {"redis://:" + secret + "@redis.example:6379/1", "redis://me:" + secret + "@redis.example", "redis+sentinel://:" + secret + "@one.example:26379,two.example:26379/main/0"},
		"REDIS_URL":                       {"rediss://:" + secret + "@redis.example:6379"},
		"GATEWAY_STORE_DEFAULT":           {"redis+cluster://:" + secret + "@one.example:7001,two.example:7002"},
		"GATEWAY_INTERRUPT_WEBHOOK":       {"https://hooks.example/services/" + secret, "https://me:" + secret + "@hooks.example/x", "https://hooks.example/x?token=" + secret},
		webhookSecret:                     {secret},
		"GATEWAY_JWT_ISSUER":              {"https://me:" + secret + "@login.example/realm"},
		"GATEWAY_JWKS_URL":                {"https://login.example/keys?token=" + secret},
		"OTEL_EXPORTER_OTLP_HEADERS":      {"authorization=Bearer%20" + secret, secret},
		"OTEL_EXPORTER_OTLP_LOGS_HEADERS": {"x=" + secret},
		"OTEL_EXPORTER_OTLP_ENDPOINT":     {"https://otlp.example/" + secret, "https://otlp.example/?key=" + secret, "https://me:" + secret + "@otlp.example"},
	}
	for _, signal := range []string{"TRACES", "METRICS"} {
		secrets["OTEL_EXPORTER_OTLP_"+signal+"_HEADERS"] = secrets["OTEL_EXPORTER_OTLP_HEADERS"]
		secrets["OTEL_EXPORTER_OTLP_"+signal+"_ENDPOINT"] = secrets["OTEL_EXPORTER_OTLP_ENDPOINT"]
	}
	for name, values := range secrets {
		for _, value := range values {
			env := map[string]string{webhookSecret: secret, "OTEL_TRACES_EXPORTER": "otlp", "OTEL_METRICS_EXPORTER": "otlp", name: value}
			args := []string{}
			if strings.Contains(name, "JW") {
				env["GATEWAY_AUTH"], env["GATEWAY_JWT_AUDIENCE"] = "jwt", "gateway"
				if name != "GATEWAY_JWT_ISSUER" {
					env["GATEWAY_JWT_ISSUER"] = "https://login.example"
				}
			}
			for _, form := range [][]string{nil, {"-json"}} {
				_, out, log := printed(t, env, append(form, args...)...)
				if strings.Contains(out+log, "hush") {
					t.Errorf("%s=%s: config %q prints it:\n%s%s", name, value, form, out, log)
				}
				if !strings.Contains(out, name) || !strings.Contains(out, "•••") {
					t.Errorf("%s=%s: config %q does not say that it is set:\n%s%s", name, value, form, out, log)
				}
			}
		}
	}
}

// TestConfigSaysWhereFrom gives settings from everywhere.
func TestConfigSaysWhereFrom(t *testing.T) {
	t.Parallel()
	file := writeFile(t, "env", "GATEWAY_DRAIN=2s\nGATEWAY_LEASE=3s\nOTEL_SERVICE_NAME=desk\n")
	env := map[string]string{"GATEWAY_DRAIN": "9s", "GATEWAY_HEARTBEAT": "4s", "REDIS_URL": "redis://127.0.0.1:6379", "OTEL_LOG_LEVEL": "debug", "GATEWAY_RATE": ""}
	code, out, log := printed(t, env, "-env-file", file, "-lease", "1s")
	if code != exitOK || log != "" {
		t.Fatalf("config = %d, %s", code, log)
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	for i, line := range lines {
		lines[i] = strings.Join(strings.Fields(line), " ")
	}
	for _, want := range []string{
		"-lease 1s flag", "-drain 2s file GATEWAY_DRAIN", "-heartbeat 4s environment GATEWAY_HEARTBEAT", "-rate 20 default", "-config – default", "-admin-addr – default",
		"-store redis://127.0.0.1:6379 environment REDIS_URL", "OTEL_SERVICE_NAME desk file", "OTEL_LOG_LEVEL debug environment, changes nothing",
	} {
		if !slices.Contains(lines, want) {
			t.Errorf("config has no line %q:\n%s", want, out)
		}
	}
	if n := len(serverFlags()) + 2; len(lines) != n {
		t.Errorf("config prints %d lines, want one for each setting and variable, %d", len(lines), n)
	}

	code, out, _ = printed(t, env, "-env-file", file, "-json")
	var shown struct {
		Settings, Variables []struct {
			Setting, Value, Source, Variable string
			Ignored                          bool
		}
	}
	if err := json.Unmarshal([]byte(out), &shown); err != nil || code != exitOK || len(shown.Settings) != len(serverFlags()) {
		t.Fatalf("config -json = %d, %v\n%s", code, err, out)
	}
	for _, s := range shown.Settings {
		if s.Setting == "drain" && (s.Value != "2s" || s.Source != "file" || s.Variable != "GATEWAY_DRAIN") {
			t.Errorf("config -json says of -drain %+v", s)
		}
	}
	if v := shown.Variables; len(v) != 2 || v[0].Variable != "OTEL_SERVICE_NAME" || v[0].Source != "file" || !v[1].Ignored {
		t.Errorf("config -json says of variables %+v", v)
	}
}

// TestConfigSaysWhyAServerWouldNotStart, after the settings that it prints.
func TestConfigSaysWhyAServerWouldNotStart(t *testing.T) {
	t.Parallel()
	for want, env := range map[string]map[string]string{
		"-auth none (GATEWAY_AUTH=none)":             {"GATEWAY_ADDR": ":8080"},
		"-admin-auth none (GATEWAY_ADMIN_AUTH=none)": {"GATEWAY_ADMIN_ADDR": ":9464"},
		"-tls-cert (GATEWAY_TLS_CERT)":               {"GATEWAY_TLS_CERT": "cert.pem"},
		"OTEL_TRACES_SAMPLER: not one":               {"OTEL_TRACES_SAMPLER": "often"},
	} {
		if code, out, log := printed(t, env); code != exitError || !strings.Contains(log, want) || !strings.Contains(out, "-addr") {
			t.Errorf("config with %v = %d, %q, want %q", env, code, log, want)
		}
	}
	if code, out, log := printed(t, map[string]string{"GATEWAY_DRAIN": "soon"}); code != exitError || out != "" || !strings.Contains(log, "-drain (GATEWAY_DRAIN)") {
		t.Errorf("config with a bad value = %d, %q, %q", code, out, log)
	}
}
