package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/gateway/auth"
	"github.com/agui-gateway/gateway/groupchat/budget"
	"github.com/agui-gateway/gateway/model/openai"
	"github.com/agui-gateway/gateway/state/memstore"
)

// A config holds the settings as they were read.
type config struct {
	addr         string
	team         string // path of the team file; empty is the built-in team
	auth         authSettings
	operand      string // what the command is about, for those that take a word besides flags
	roles        string // of a new key, with commas between
	tlsCert      string // paths of the certificate and its key; empty: no TLS
	tlsKey       string
	maxConns     int // concurrent connections
	drain        time.Duration
	logLevel     slog.Level
	logFormat    string // text, json, or empty: text on a terminal, else json
	options      gateway.Options
	memory       memstore.Options
	redis        string // URL of the store, which may hold a password; empty is none
	file         string // path of the store's file; without it and redis, threads are in memory
	audit        string // path of the audit log, or "-" for standard output; empty is none
	auditContent string // on or off: whether the audit log has arguments and reasons
	admin        adminSettings
	content      string    // on or off: whether spans contain messages
	drainEnds    time.Time // when -drain is over; zero: it has not begun

	conversations conversationFlags // of the command test
	chat          chatFlags         // of the command chat
	agent         string            // of the commands graph and chat: which agent is drawn or spoken with

	yes        bool          // confirms a deletion
	json       bool          // what the command prints is for programs
	probe      bool          // contact the team's servers
	storeWait  int           // how many replicas of a Redis must have a question, an answer or an approval
	storeLimit int64         // greatest size of the store in bytes; 0: not set
	drainDelay time.Duration // how long requests are served while the server reports that it is not ready

	model       openai.Options // without BaseURL and Key there is none
	toolTimeout time.Duration
	budgets     *budget.Ledger // of all team files that are read one after another
	// for models, remote agents, MCP servers, issuers and the webhook; nil means separate clients
	http *http.Client

	env       func(string) (string, bool) // the environment, an -env-file before it
	envFile   map[string]string           // what the -env-file has
	effective []effectiveValue            // the effective settings, in the order of the table
	scripted  bool                        // the travel demo is served, and has no model to speak through
}

// A setting is a row of the table from which flags, help and the table of docs/settings.md are made.
type setting struct {
	flag string
	def  string // the default value; empty: none
	help string
	set  func(value string) error // its error describes the problem without quoting the value, which may be secret
}

// env is the setting's name in the environment.
func (s setting) env() string {
	switch s.flag {
	// not for files: the file's path, a key's roles, and arguments of a single call
	case "env-file", "roles", "run", "thread":
		return ""
	case "model-url": // the variables that other programs read, too
		return "OPENAI_BASE_URL"
	case "model":
		return "OPENAI_MODEL"
	case "model-key":
		return "OPENAI_API_KEY"
	}
	return "GATEWAY_" + strings.ToUpper(strings.ReplaceAll(s.flag, "-", "_"))
}

// environment lists the variables for the setting; the store has additional ones of hosting platforms and images.
func (s setting) environment() []string {
	switch {
	case s.env() == "":
		return nil
	case s.flag == "store":
		return []string{s.env(), "REDIS_URL", "GATEWAY_STORE_DEFAULT"}
	default:
		return []string{s.env()}
	}
}

// names returns flag and variable, for errors.
func (s setting) names() string {
	if s.env() == "" {
		return "-" + s.flag
	}
	return "-" + s.flag + " (" + s.env() + ")"
}

// settings is the table. Each set function writes to c. Defaults of the service are those of package gateway.
func (c *config) settings() []setting {
	o, l := &c.options, &c.options.Limits
	def := gateway.Defaults()
	return []setting{
		{"addr", "127.0.0.1:8080", "address to listen on; one that others can reach requires -auth keys, jwt or " +
			"header, or an explicit -auth none", address(&c.addr)},
		{"config", "", "team file; without one the built-in travel team is served", text(&c.team)},
		{"env-file", "", "file of KEY=VALUE lines that count before the environment", text(new(string))},
		{"store", "memory", "where threads are kept: memory, file:PATH, or a Redis at redis://, redis+cluster:// or " +
			"redis+sentinel:// (also REDIS_URL)", c.setStore},
		{"store-limit", "", "bytes that threads may take in memory (without it 512MiB) or in a file (without it any " +
			"number); a Redis has its own maxmemory", size(&c.storeLimit)},
		{"store-wait", "0", "replicas of the Redis that must have a question, an answer or an approval before it is " +
			"acknowledged; 0 is none", allowance(&c.storeWait)},
		{"model-url", "", "where the default model is: a server with OpenAI's chat completions API; without it and " +
			"-model-key the demo speaks from its script", modelURL(&c.model.BaseURL)},
		{"model", "gpt-4.1-mini", "what the default model is called there", word(&c.model.Name)},
		{"model-key", "", "key of the default model's server; alone it means OpenAI's", word(&c.model.Key)},
		{"model-price", "", "what a million tokens of the default model cost, such as " +
			"input=0.40,output=1.60,cached_input=0.10, in whatever currency you reckon in; without it nothing is " +
			"known of costs", price(&c.model.Price)},
		{"voice-delay", "30ms", "pause between text deltas of scripted voices", duration(&o.Pace, 0)},
		{"auth", "none", "how callers prove who they are: none, keys, jwt (tokens of an OpenID provider) or header " +
			"(a proxy's word)", oneOf(&c.auth.mode, authModes...)},
		{"keys-file", "", "for -auth keys: a file of the lines that `gateway key NAME` prints; it is read again " +
			"when it changes", text(&c.auth.keysFile)},
		{"jwt-issuer", "", "for -auth jwt: the iss of tokens, the URL of the provider, where its discovery document " +
			"is found", word(&c.auth.jwt.Issuer)},
		{"jwks-url", "", "for -auth jwt: where the issuer's keys are, for an issuer without a discovery document",
			keySetURL(&c.auth.jwt.KeySet)},
		{"jwt-audience", "", "for -auth jwt: the aud of tokens; of several, with commas between, a token needs one",
			list(&c.auth.jwt.Audiences)},
		{"jwt-algorithms", "RS256,PS256,ES256,EdDSA",
			"for -auth jwt: what tokens may be signed with; also RS384, RS512, PS384, PS512, ES384, ES512",
			listOf(&c.auth.jwt.Algorithms, auth.Algorithms())},
		{"jwt-leeway", "30s", "for -auth jwt: how far the issuer's clock may be from this machine's, at most 5m",
			leeway(&c.auth.jwt.Leeway)},
		{"jwt-roles", "roles", "for -auth jwt: the claim that has the roles, a name or a JSON Pointer such as " +
			"/realm_access/roles", word(&c.auth.jwt.Roles)},
		{"auth-header", "", "for -auth header: the header that names the caller, such as X-Forwarded-User",
			word(&c.auth.header.User)},
		{"auth-roles-header", "", "for -auth header: the header that has the caller's roles, with commas between",
			word(&c.auth.header.Roles)},
		{"auth-proxies", "", "for -auth header: the addresses or networks from which these headers are believed, " +
			"with commas between", networks(&c.auth.header.Proxies)},
		{"cors-origins", "", "origins of pages that may call, with commas between, or *; without it those of this " +
			"machine", origins(&o.Origins)},
		{"hosts", "", "host names to answer for, with commas between, or *; without it those of this machine on a " +
			"loopback address, else any if callers prove who they are, else IP addresses", hosts(&o.Hosts)},
		{"tls-cert", "", "file of the certificate and those that vouch for it, in PEM; with it the server speaks " +
			"only TLS. A changed file is read again", text(&c.tlsCert)},
		{"tls-key", "", "file of the certificate's key, in PEM", text(&c.tlsKey)},
		{"trusted-proxies", "", "addresses and networks of the proxies before the gateway, with commas between; " +
			"only their X-Forwarded-For counts", networks(&o.TrustedProxies)},
		{"disconnect", string(def.Disconnect), "what hanging up does to a run: cancel or detach",
			oneOf(&o.Disconnect, gateway.Cancel, gateway.Detach)},
		{"detach-grace", short(def.DetachGrace), "how long an untied run continues without a reader",
			duration(&o.DetachGrace, 1)},
		{"on-busy", string(def.OnBusy), "a request to a busy thread: reject, queue or supersede",
			oneOf(&o.OnBusy, gateway.Reject, gateway.Queue, gateway.Supersede)},
		{"subagent-events", string(def.SubagentEvents),
			"readers that get SUBAGENT_*: auto (those that state a protocol version, or ask), on, or off (those " +
				"that ask)", oneOf(&o.SubagentEvents, gateway.SubagentsAuto, gateway.SubagentsOn,
				gateway.SubagentsOff)},
		{"interrupt-ttl", short(def.InterruptTTL), "how long a question stays open", duration(&o.InterruptTTL, 1)},
		{"thread-ttl", "720h", "how long a thread is kept after its last step", duration(&c.memory.ThreadTTL, 1)},
		{"log-ttl", "1h", "how long a run's events are kept after its end, at least 1m",
			duration(&c.memory.LogTTL, time.Minute)},
		{"heartbeat", short(def.Heartbeat), "how often a quiet stream gets a comment", duration(&o.Heartbeat, 1)},
		{"lease", short(def.Lease), "how long a run outlives a silent replica",
			duration(&o.Lease, 10*time.Millisecond)},
		{"run-attempts", strconv.Itoa(def.RunAttempts), "how many attempts a run has, takeovers included",
			count(&o.RunAttempts)},
		{"store-buffer", short(def.StoreBuffer), "how long a run waits for a store that is away",
			duration(&o.StoreBuffer, 1)},
		{"drain", "20s", "how long runs may continue after SIGTERM", duration(&c.drain, 0)},
		{"drain-delay", "0s", "how long after SIGTERM requests are still served while /readyz refuses, before " +
			"-drain begins: as long as balancers take to see that", duration(&c.drainDelay, 0)},
		{"run-timeout", short(def.RunTimeout), "how long a run may take", duration(&o.RunTimeout, 1)},
		{"model-timeout", "2m", "how long one call of a model may take, its retries included",
			duration(&c.model.Timeout, 1)},
		{"tool-timeout", "1m", "how long one call of a tool may take", duration(&c.toolTimeout, 1)},
		{"max-connections", "20000", "open connections; further ones wait", count(&c.maxConns)},
		{"max-header", kibibytes(def.Limits.Header), "size of a request's line and headers", size(&l.Header)},
		{"max-body", mebibytes(def.Limits.Body), "size of a request", size(&l.Body)},
		{"max-bodies", mebibytes(def.Limits.Bodies),
			"size of all requests that are being read, at least eight times -max-body; a principal may have a quarter",
			size(&l.Bodies)},
		{"max-answers", mebibytes(def.Limits.Answers),
			"size of all answers to clients that read slowly, at least eight times -max-event and -max-thread with " +
				"-max-state; a principal may have a quarter", size(&l.Answers)},
		{"max-event", mebibytes(def.Limits.Event), "size of an event", size(&l.Event)},
		{"max-thread", mebibytes(def.Limits.Thread), "size of a thread's messages", size(&l.Thread)},
		{"max-state", mebibytes(def.Limits.State), "size of a thread's state", size(&l.State)},
		{"max-depth", strconv.Itoa(def.Limits.Depth), "nesting of JSON in a request", count(&l.Depth)},
		{"max-messages", strconv.Itoa(def.Limits.Messages), "messages in a request", count(&l.Messages)},
		{"max-file", mebibytes(def.Limits.File),
			"size of a file in a message; in base64 it has to fit into -max-thread and -max-body", size(&l.File)},
		{"max-files", strconv.Itoa(def.Limits.Files), "files in a message", count(&l.Files)},
		{"max-patch-ops", strconv.Itoa(def.Limits.PatchOps), "operations in a state delta", count(&l.PatchOps)},
		{"max-runs", strconv.Itoa(def.Limits.Runs), "live runs", count(&l.Runs)},
		{"max-readers", strconv.Itoa(def.Limits.Readers), "readers of one thread", count(&l.Readers)},
		{"max-readers-total", strconv.Itoa(def.Limits.ReadersTotal), "readers of all threads", count(&l.ReadersTotal)},
		{"max-stored-per-principal", "0",
			"bytes that one principal's threads may take in the store; 0 is a quarter of its limit with -auth, and " +
				"else any number", sizeOrNone(&l.StoredPerPrincipal)},
		{"max-queue", strconv.Itoa(def.Limits.Queue), "requests that wait for one thread, at all replicas together",
			count(&l.Queue)},
		{"max-runs-per-principal", strconv.Itoa(def.Limits.RunsPerPrincipal),
			"live and waiting runs of a principal; this and the next five hold for each replica, and not without " +
				"-auth; 0 is no limit", allowance(&l.RunsPerPrincipal)},
		{"max-readers-per-principal", strconv.Itoa(def.Limits.ReadersPerPrincipal),
			"readers of a principal's threads; 0 is no limit", allowance(&l.ReadersPerPrincipal)},
		{"max-tokens-per-principal", "0",
			"tokens that the models of a principal's runs may use in each -token-window; 0 is no limit",
			allowance(&l.TokensPerPrincipal)},
		{"token-window", short(def.TokenWindow),
			"time for which -max-tokens-per-principal holds, from the first tokens on", duration(&o.TokenWindow, 1)},
		{"rate", strconv.Itoa(def.Limits.Rate),
			"requests a second of a principal, and of an address without valid credentials; 0 is no limit",
			allowance(&l.Rate)},
		{"rate-burst", strconv.Itoa(def.Limits.RateBurst), "requests at once after a pause", count(&l.RateBurst)},
		{"interrupt-webhook", "", "webhook called when a run waits for an answer: an http:// or https:// URL; " +
			"GATEWAY_INTERRUPT_WEBHOOK_SECRET signs", c.setWebhook},
		{"allow-addresses", "", "link-local and cloud metadata addresses that models, remote agents, MCP servers, " +
			"issuers and the webhook may have all the same, and private ones that URLs of files in messages may " +
			"have: addresses or networks, with commas between", c.setAllowed},
		{"audit-log", "", "file to which what people decide and change is appended, a line of JSON each; - is " +
			"standard output", text(&c.audit)},
		{"audit-content", "off", "on adds to the audit log the arguments of the calls that people decided on, and " +
			"their reasons", oneOf(&c.auditContent, "off", "on")},
		{"admin-addr", "", "address for operators, who are not asked who they are: /metrics, /healthz, /readyz, and " +
			"/debug/pprof on a loopback address; none of it is on -addr. One that others can reach requires " +
			"-admin-auth none", address(&c.admin.addr)},
		{"admin-auth", "", "none: whoever reaches -admin-addr may read it", oneOf(&c.admin.auth, authNone)},
		{"telemetry-content", "off", "for development: on puts what people, models and tools say into the spans " +
			"that OTEL_TRACES_EXPORTER sends", oneOf(&c.content, "off", "on")},
		{"log-level", "info", "debug, info, warn or error", level(&c.logLevel)},
		{"log-format", "", "text or json; without it text on a terminal and json elsewhere",
			oneOf(&c.logFormat, "text", "json")},
	}
}

// settingsNamed returns the rows of the table for these flags.
func (c *config) settingsNamed(flags ...string) []setting {
	return slices.DeleteFunc(c.settings(), func(s setting) bool { return !slices.Contains(flags, s.flag) })
}

func (cmd command) settingsOf(c *config) []setting {
	switch {
	case cmd.define != nil:
		return cmd.define(c)
	case cmd.settings == nil:
		return c.settings()
	default:
		return c.settingsNamed(cmd.settings...)
	}
}

// A toggle is a flag without a value, of a command and not of the server.
type toggle struct {
	flag, help string
	on         *bool
}

func (cmd command) togglesOf(c *config) []toggle {
	return slices.DeleteFunc([]toggle{
		{"yes", "do it; without it the command only says what it would do", &c.yes},
		{"json", "print it as JSON", &c.json},
		{"record", "ask the real models where conversations have recorded replies, and record them anew",
			&c.conversations.record},
		{"update", "replace the expected results in the conversations by the actual ones", &c.conversations.update},
		{"v", "show all messages", &c.conversations.verbose},
		{"probe", "also ask the models, MCP servers and remote agents of the file whether they are there", &c.probe},
	}, func(s toggle) bool { return !slices.Contains(cmd.settings, s.flag) })
}

// parse reads a command's settings: flags precede the -env-file, the environment and defaults. "" is no value.
func parse(cmd command, args []string, env func(string) (string, bool)) (*config, error) {
	c := &config{env: env}
	settings := cmd.settingsOf(c)
	flagValues, err := flags(c, cmd, settings, args)
	if err != nil {
		return nil, err
	}
	if path := flagValues["env-file"]; path != "" {
		if c.envFile, err = readEnvFile(path); err != nil {
			return nil, fmt.Errorf("-env-file: %w", err)
		}
		if err := unknownVariable(c.envFile); err != nil {
			return nil, fmt.Errorf("-env-file: %s: %w", path, err)
		}
		c.env = before(c.envFile, env)
	}
	for _, s := range settings {
		value, from := c.value(s, flagValues)
		c.effective = append(c.effective, effectiveValue{Setting: s.flag, Value: value, origin: from})
		if value == "" {
			continue
		}
		if err := s.set(value); err != nil {
			return nil, fmt.Errorf("%s: %w", s.names(), err)
		}
		if from.Source != sourceDefault {
			c.auth.setFlags = append(c.auth.setFlags, s.flag)
		}
	}
	if l := c.options.Limits; l.Bodies/8 < l.Body {
		return nil, errors.New("-max-bodies (GATEWAY_MAX_BODIES): less than eight times -max-body; a request might " +
			"never get room")
	}
	if l := c.options.Limits; l.Answers/8 < max(int64(l.Event), int64(l.Thread)+int64(l.State)) {
		return nil, errors.New("-max-answers (GATEWAY_MAX_ANSWERS): less than eight times -max-event, or " +
			"-max-thread with -max-state; an answer might never get room")
	}
	return c, c.auth.check()
}

func flags(c *config, cmd command, settings []setting, args []string) (map[string]string, error) {
	flagValues := map[string]string{}
	set := flag.NewFlagSet(cmd.name, flag.ContinueOnError)
	set.SetOutput(io.Discard) // one line, ours, is enough
	set.Usage = func() {}
	for _, s := range settings {
		set.Func(s.flag, s.help, func(value string) error {
			if s.flag == "header" && flagValues[s.flag] != "" {
				value = flagValues[s.flag] + "\n" + value // it may be repeated
			}
			flagValues[s.flag] = value
			return nil
		})
	}
	for _, s := range cmd.togglesOf(c) {
		set.BoolVar(s.on, s.flag, false, "")
	}
	operands, err := parseAnyOrder(set, args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return nil, err
	case err != nil:
		return nil, usageError{fmt.Sprintf("%v; `gateway %s -h` lists the flags", err, cmd.name)}
	case cmd.operand != "" && len(operands) == 0 && !strings.HasPrefix(cmd.operand, "["):
		return nil, usageError{fmt.Sprintf("write `gateway %s %s`; flags may be before and behind it", cmd.name,
			cmd.operand)}
	case cmd.operand != "" && len(operands) > 0:
		c.operand, operands = operands[0], operands[1:]
	}
	if len(operands) > 0 {
		return nil, usageError{fmt.Sprintf("%q is not understood; `gateway %s -h` lists the flags", operands[0],
			cmd.name)}
	}
	return flagValues, nil
}

func printHelp(w io.Writer, cmd command) int {
	var b strings.Builder
	fmt.Fprintf(&b, "gateway %s: %s\n", strings.TrimSpace(cmd.name+" "+cmd.operand), cmd.help)
	settings := cmd.settingsOf(&config{})
	if len(settings) > 0 {
		b.WriteString("\nA flag counts before the -env-file, that before the environment, and that before the " +
			"default.\n\n")
	}
	for _, s := range settings {
		fmt.Fprintf(&b, "  -%-16s %s\n", s.flag, s.help)
		if s.env() != "" || s.def != "" {
			fmt.Fprintf(&b, "  %-17s %s\n", "", strings.TrimSpace(s.env()+"  default "+cmp.Or(s.def, "none")))
		}
	}
	for _, s := range cmd.togglesOf(&config{}) {
		fmt.Fprintf(&b, "  -%-16s %s\n", s.flag, s.help)
	}
	return print(w, b.String())
}
