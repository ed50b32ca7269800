package house

// module is the path every import of our own begins with.
const module = "github.com/agui-gateway/gateway"

// A room is a directory and everything below it that has no room of its own.
type room struct {
	dir string
	// may lists the rooms this one may import, besides itself.
	may []string
	// testsMay lists what only its test files may import in addition.
	testsMay []string
	why      string
}

// rooms is the picture of docs/design.md. Arrows point from left to right and there is no way back:
//
//	cmd/gateway ─► gateway/teamfile ─► gateway ─► groupchat/host ─► groupchat ─► state, model ─► errcode ─► agui
//	     │                ├──► mcp, httptool ─► groupchat, agui
//	     │                ├──► langgraph, a2a ─► agui
//	     │                └──► model/openai ─► model ─► errcode, agui
//	     ├──► gateway/auth ─► gateway
//	     ├──► travel ─► groupchat, state, agui
//	     └──► web
var rooms = []room{
	{dir: "agui/run", may: []string{"agui"}, why: "who only reads the protocol needs nothing that writes it"},
	{dir: "agui/client", may: []string{"agui", "internal/egress", "telemetry"}, testsMay: []string{"agui/run"}, why: "who serves AG-UI needs no client of it"},
	{dir: "agui", why: "the protocol stands alone: a client or another server can use it without the gateway"},
	{dir: "a2a", may: []string{"agui", "agui/client"}, why: "who asks agents of another protocol needs none of those that it is asked for"},
	{dir: "a2ui", may: []string{"agui"}, why: "a surface is described by a protocol of its own, which knows neither agents nor services"},
	{dir: "errcode", may: []string{"agui"}, why: "stores, agents, models and the service fail with the same codes, and the protocol has none"},
	{dir: "state", may: []string{"agui", "errcode", "internal/schemacost"}, testsMay: []string{"state/statetest", "state/memstore"},
		why: "what is stored is made of protocol values and knows neither who produces nor who serves them"},
	{dir: "state/statetest", may: []string{"agui", "errcode", "state"}, why: "the suite sees a store as any caller does"},
	{dir: "state/internal/ledger", may: []string{"state"}, why: "what a store takes is counted the same, whatever it is kept in"},
	{dir: "state/internal/listed", testsMay: []string{"state"}, why: "what a list shows of a stored thread is read the same, whatever it is kept in"},
	{dir: "state/internal/delta", may: []string{"agui", "state"}, why: "the events of a log are written the same, whatever it is kept in"},
	{dir: "state/memstore", may: []string{"agui", "state", "state/internal/delta", "state/internal/ledger"}, testsMay: []string{"state/statetest"},
		why: "a backend knows threads and transitions, and nothing of who asks for them"},
	{dir: "state/redisstore", may: []string{"agui", "state", "state/internal/delta", "state/internal/listed"}, testsMay: []string{"state/statetest", "state/memstore"},
		why: "a store is reached through state's interface; only wiring chooses one"},
	{dir: "state/filestore", may: []string{"agui", "state", "state/internal/ledger", "state/internal/listed"}, testsMay: []string{"state/statetest", "state/memstore", "state/redisstore"},
		why: "a store is reached through state's interface; only wiring chooses one"},
	{dir: "model", may: []string{"agui", "errcode", "internal/fence"},
		why: "who speaks through a model needs neither a library nor a server of one, and a model knows nothing of turns"},
	{dir: "model/cache", may: []string{"agui", "model"}, testsMay: []string{"errcode", "groupchat"},
		why: "a reply is kept the same, whoever has made it and whatever it is for"},
	{dir: "model/internal/provider", may: []string{"agui", "errcode", "model", "internal/egress", "internal/fence", "internal/redact", "telemetry"},
		why: "retries, limits and faults are the same for each provider, and none of them is for importers"},
	{dir: "model/openai", may: []string{"agui", "errcode", "model", "model/internal/provider", "internal/redact"}, testsMay: []string{"model/openai/openaitest"},
		why: "a provider is one implementation of models among others: only who puts a program together chooses it"},
	{dir: "model/openai/openaitest", testsMay: []string{"agui", "model", "model/openai"},
		why: "what a model's server answers is text; tests of models, and of what uses them, share it"},
	{dir: "groupchat", may: []string{"agui", "agui/client", "agui/run", "errcode", "state", "model", "groupchat/internal/hosting", "groupchat/internal/partial", "internal/fence", "internal/schemacost", "internal/redact", "telemetry"},
		testsMay: []string{"model/openai", "model/openai/openaitest", "groupchat/groupchattest", "groupchat/host"},
		why:      "agents run the same under any service, and in a test without one"},
	{dir: "groupchat/host", may: []string{"agui", "agui/run", "state", "groupchat", "groupchat/internal/hosting"}, testsMay: []string{"errcode"},
		why: "what executes agents is not for their authors; it reaches groupchat's part of it by one internal package"},
	{dir: "groupchat/guard", may: []string{"agui", "agui/run", "errcode", "state", "groupchat", "model"},
		why: "guardrails are hooks like anybody's: they have what authors of agents have"},
	{dir: "groupchat/groupchattest", may: []string{"agui", "errcode", "state", "groupchat", "model"},
		why: "a test of an agent needs what its author has, and something to speak for its models"},
	{dir: "groupchat/internal/hosting", may: []string{"agui", "agui/run", "state"}, why: "it is what groupchat and groupchat/host share, below both"},
	{dir: "groupchat/internal/partial", why: "JSON that is being written is read without knowing who writes it"},
	{dir: "groupchat/budget", may: []string{"agui", "errcode", "groupchat", "model"}, testsMay: []string{"groupchat/groupchattest"},
		why: "what may be used is decided by hooks, which every author has"},
	{dir: "groupchat/script", may: []string{"agui", "errcode", "groupchat", "state"}, testsMay: []string{"groupchat/groupchattest"},
		why: "a kind of agent is written with what every author of agents has"},
	{dir: "groupchat/surface", may: []string{"a2ui", "agui", "agui/run", "groupchat", "model"}, testsMay: []string{"errcode", "groupchat/groupchattest", "groupchat/guard", "state"},
		why: "surfaces are shown by hooks and tools, which every author of agents has"},
	{dir: "groupchat/plan", may: []string{"agui", "errcode", "groupchat", "model"}, testsMay: []string{"groupchat/groupchattest"},
		why: "a manager that plans is written with what every author of managers has"},
	{dir: "mcp", may: []string{"agui", "groupchat", "internal/egress", "internal/redact", "telemetry"},
		why: "tools of other people's servers are tools like any: agents do not know whose they are, and nobody needs them who has none"},
	{dir: "langgraph", may: []string{"agui", "agui/client"}, testsMay: []string{"errcode", "groupchat", "groupchat/groupchattest"},
		why: "who asks assistants of another protocol needs none of those that they are asked for"},
	{dir: "httptool", may: []string{"groupchat", "internal/egress", "internal/redact", "state", "telemetry"}, testsMay: []string{"groupchat/groupchattest"},
		why: "an endpoint that is a tool is a tool like any, and needs no protocol of agents"},
	{dir: "gateway", may: []string{"a2ui", "agui", "agui/run", "errcode", "state", "state/memstore", "model", "groupchat", "groupchat/host", "gateway/copilotkit", "gateway/internal/attachment", "gateway/internal/calls", "gateway/internal/edge", "gateway/internal/frame", "gateway/internal/limit", "gateway/internal/recorder", "gateway/internal/route", "gateway/internal/typed", "gateway/internal/webhook", "gateway/wire", "internal/redact", "telemetry"},
		testsMay: []string{"groupchat/groupchattest", "groupchat/surface", "model/openai", "model/openai/openaitest", "groupchat/budget", "groupchat/script", "gateway/teamfile", "travel", "state/statetest", "state/filestore", "state/redisstore"},
		why:      "the service is given its agents; it knows none by name. Its tests drive the demo and team files as users do, and take a real Redis or process away"},
	{dir: "gateway/copilotkit", may: []string{"agui", "errcode", "state", "groupchat", "gateway/internal/route"}, testsMay: []string{"gateway"},
		why: "CopilotKit's protocol needs a service that runs agents, not this one"},
	{dir: "gateway/internal/attachment", may: []string{"agui"},
		why: "what a file is, and as what it may be served, is found out from its bytes, without a request or a thread"},
	{dir: "gateway/internal/calls", may: []string{"state", "groupchat", "telemetry"},
		why: "what the gateway is given may panic, hang or stay away, and each part of it that makes calls needs the same answer to that"},
	{dir: "gateway/internal/edge", may: []string{"errcode"},
		why: "how a request came is judged before anybody looks at what it asks for"},
	{dir: "gateway/internal/frame", may: []string{"agui", "state"},
		why: "reading a log needs its frames and no request"},
	{dir: "gateway/internal/limit", why: "how much is used by whom is counted the same for requests, runs, readers and bytes"},
	{dir: "gateway/internal/recorder", may: []string{"state", "gateway/internal/calls", "telemetry"},
		why: "writing a log needs a store and a lease, and no run"},
	{dir: "gateway/internal/route", may: []string{"agui", "errcode", "groupchat", "state", "gateway/internal/limit", "telemetry"},
		why: "what handlers share is below the service, so that a protocol can stand apart from it"},
	{dir: "gateway/internal/typed", may: []string{"agui", "model", "state"},
		why: "what a message means as an answer is found out without a run, from the question and the words alone"},
	{dir: "gateway/internal/webhook", may: []string{"agui", "state", "gateway/internal/calls", "internal/egress", "internal/redact", "telemetry"},
		why: "telling a receiver of questions needs a store and no run"},
	{dir: "gateway/wire", may: []string{"a2ui", "agui", "errcode", "state"},
		why: "what a reader is sent depends on the stored frame and on the reader, not on the service"},
	{dir: "gateway/teamfile", may: []string{"a2a", "a2ui", "agui", "agui/client", "errcode", "state", "model", "model/cache", "model/openai", "groupchat", "groupchat/guard", "groupchat/budget", "groupchat/script", "groupchat/surface", "groupchat/plan", "httptool", "langgraph", "mcp", "gateway", "internal/egress", "internal/redact"}, testsMay: []string{"groupchat/groupchattest", "model/openai/openaitest"},
		why: "team files are made of what Go programs have; who embeds the service needs neither YAML nor MCP"},
	{dir: "gateway/teamfile/teamtest", may: []string{"agui", "agui/client", "errcode", "state", "model", "groupchat", "groupchat/groupchattest", "gateway", "gateway/teamfile", "internal/inprocess"}, testsMay: []string{"model/openai", "model/openai/openaitest"},
		why: "a team is tested as it is served, by a gateway that is asked as clients ask it"},
	{dir: "gateway/auth", may: []string{"errcode", "gateway", "internal/egress", "internal/redact"}, testsMay: []string{"groupchat"},
		why: "who a caller is, a program may know by itself; who embeds the service needs no library for tokens"},
	{dir: "travel", may: []string{"agui", "state", "model", "groupchat"}, testsMay: []string{"agui/run", "errcode", "state/memstore", "model/openai", "gateway", "groupchat/host"},
		why: "the demo is written with what every library user has"},
	{dir: "web", testsMay: []string{"errcode", "gateway", "groupchat"}, why: "embedded files and nothing else"},
	{dir: "interop", may: []string{"agui", "state", "groupchat", "gateway", "travel"},
		why: "Go programs that foreign clients are compared with sit at the far end, like cmd/gateway"},
	{dir: "interop/chaos", may: []string{"agui", "agui/run", "errcode", "state", "state/filestore", "state/redisstore", "groupchat", "gateway", "travel"},
		why: "the replicas that are killed are wired like cmd/gateway"},
	{dir: "interop/upgrades", testsMay: []string{"agui", "state", "state/filestore", "state/redisstore", "state/statetest", "groupchat", "gateway", "model"},
		why: "kept threads are made and gone on with by a gateway on a real store"},
	{dir: "interop/operations", testsMay: []string{"model/openai/openaitest", "state/redisstore"},
		why: "what operators are given is held to processes, as operators see them"},
	{dir: "bench", may: []string{"agui"},
		why: "what a server costs is measured from outside, whoever's it is; only the events' order is ours to judge"},
	{dir: "examples/dojo", may: []string{"agui", "errcode", "groupchat", "gateway", "gateway/teamfile", "model", "model/openai", "travel"},
		why: "an example is wired like cmd/gateway, with what any program may import"},
	{dir: "cmd/gateway", may: []string{"agui", "agui/client", "cmd/gateway/internal/chat", "internal/inprocess", "state", "state/filestore", "state/memstore", "state/redisstore", "model", "model/openai", "groupchat", "gateway", "gateway/auth", "gateway/teamfile", "gateway/teamfile/teamtest", "travel", "web", "mcp", "cmd/gateway/internal/doctor", "internal/egress", "internal/redact", "telemetry", "telemetry/export"}, testsMay: []string{"errcode", "groupchat/script", "model/openai/openaitest"},
		why: "wiring: the only place that knows everybody"},
	{dir: "cmd/gateway/internal/chat", may: []string{"agui", "agui/client", "agui/run", "state"},
		why: "a client at a terminal knows the protocol and what answers are held against, and of servers nothing that others do not know"},
	{dir: "cmd/gateway/internal/doctor", may: []string{"a2a", "agui", "agui/client", "errcode", "langgraph", "state", "state/filestore", "state/redisstore", "model/openai", "groupchat", "gateway/auth", "internal/egress", "internal/redact"}, testsMay: []string{"model/openai/openaitest", "mcp"},
		why: "checks see the parts of an installation as they are, and not how the program puts them together"},
	{dir: "telemetry", may: []string{"agui", "errcode"},
		why: "what a step tells of itself is decided below everybody who takes steps"},
	{dir: "telemetry/export", may: []string{"internal/redact"},
		why: "who sends what is told, and where to, is chosen by who puts a program together; nobody else needs OpenTelemetry's SDK"},
	{dir: "internal/egress", may: []string{"telemetry"}, why: "which addresses clients refuse is decided in one place, whoever is asked and whatever for"},
	{dir: "internal/inprocess", why: "a handler of the same process is asked in one way, whoever asks and whatever for"},
	{dir: "internal/schemacost", why: "what a schema may cost is decided in one place, whichever library holds values against it"},
	{dir: "internal/fence", why: "what reaches out of a run asks before, and need not know who executes the run"},
	{dir: "internal/redact", why: "what may be logged of other servers' words is decided in one place, whoever spoke to them"},
	{dir: "internal/house", why: "rules about the code, not part of it"},
	{dir: "internal/testrun", why: "CI runs any tests by it, whatever they test"},
}

// A door says where a third-party library may be imported by code that is not a test.
type door struct {
	lib string // import path, or its beginning up to a slash
	// in lists directories (with what is below them) or single files.
	in []string
	// files is how many non-test files may import it: in all, or per directory if perDir; 0 means any number.
	files  int
	perDir bool
	why    string
}

// statetest is a package of test code that is not in _test.go files, because other packages run it.
const statetest = "state/statetest"

var doors = []door{
	{lib: "github.com/labstack/echo/v4", in: []string{"gateway"}, files: 1,
		why: "handlers are plain net/http; leaving v4 before its support ends must touch one file"},
	{lib: "github.com/tmaxmax/go-sse", in: []string{"agui/sse.go"}, files: 1,
		why: "SSE framing is written and read in one place, both ways"},
	{lib: "github.com/evanphx/json-patch/v5", in: []string{"state/outside_apply.go", statetest}, files: 1,
		why: "it applies patches from outside, away from its faults, and judges our own in tests, see ADR 2"},
	{lib: "github.com/gabriel-vasile/mimetype", in: []string{"gateway/internal/attachment"}, files: 1,
		why: "what somebody's bytes are is found out in one place, which allows less than the library knows"},
	{lib: "github.com/redis/go-redis/v9", in: []string{"state/redisstore", "bench"},
		why: "the gateway must run, and be tested, without Redis; what a Redis has used it tells only itself"},
	{lib: "github.com/klauspost/compress", in: []string{"state/redisstore/pack.go"}, files: 1,
		why: "how packs are compressed is a format, and one file reads and writes it"},
	{lib: "go.etcd.io/bbolt", in: []string{"state/filestore"},
		why: "it maps its file and trusts it: the package that checks files before is the only one that opens any"},
	{lib: "github.com/sashabaranov/go-openai", in: []string{"model/openai"}, files: 1,
		why: "models come and go; what the rest sees of one is ours"},
	{lib: "golang.org/x/time/rate", in: []string{"gateway/internal/limit"}, files: 1,
		why: "a table of limiters is bounded, and one place sees to that"},
	{lib: "golang.org/x/sync", in: []string{"gateway/internal/limit"}, files: 1,
		why: "who waits for room is refused in the end, and one place sees to that"},
	{lib: "github.com/peterh/liner", in: []string{"cmd/gateway/internal/chat/terminal.go"}, files: 1,
		why: "lines are edited, and the terminal is prepared for that, in one place, which leaves it as it was"},
	{lib: "golang.org/x/sys/unix", in: []string{"cmd/gateway/internal/chat/drop_linux.go"}, files: 1,
		why: "what only one system has is in a file of that system"},
	{lib: "go.yaml.in/yaml/v4", in: []string{"gateway/teamfile"}, files: 1,
		why: "the team file is the only YAML, and its errors quote lines that may hold secrets"},
	{lib: "github.com/santhosh-tekuri/jsonschema/v6", in: []string{"state"}, files: 1,
		why: "it opens file:// and other references unless its loader is denied, once and everywhere"},
	{lib: "github.com/modelcontextprotocol/go-sdk", in: []string{"mcp"},
		why: "MCP is spoken in one place; elsewhere its tools are ours"},
	{lib: "github.com/lestrrat-go/jwx/v3", in: []string{"gateway/auth"},
		why: "what a token has to be is decided in one place, which allows less than the library does"},
	{lib: "github.com/google/jsonschema-go", in: []string{"groupchat/tool_schema.go"}, files: 1,
		why: "tools derive their schemas as the MCP SDK does, and tell a model what is wrong with its arguments; answers have jsonschema/v6, which keeps that to itself"},
	{lib: "golang.org/x/net/netutil", in: []string{"cmd/gateway/server.go"}, files: 1,
		why: "how many connections there may be is the server's, which is put together in one place"},
	{lib: "github.com/google/uuid", in: []string{"agui", "state", "groupchat", "gateway", "cmd/gateway", "bench"}, files: 1, perDir: true,
		why: "a package has one source of ids, so that a test can replace it"},
	{lib: "go.opentelemetry.io/otel/sdk", in: []string{"telemetry/export"},
		why: "what is kept before it is sent is bounded in one place"},
	{lib: "go.opentelemetry.io/otel/exporters", in: []string{"telemetry/export"},
		why: "an exporter tells the log what collectors answer, and one place keeps credentials out of that"},
	{lib: "github.com/prometheus", in: []string{"telemetry/export/scrape.go"}, files: 1,
		why: "metrics are OpenTelemetry's; how Prometheus reads them is one file's"},
	{lib: "github.com/go-logr/logr", in: []string{"telemetry/export/export.go"}, files: 1,
		why: "it is how OpenTelemetry's own log is kept quiet"},
	{lib: "google.golang.org/grpc", in: []string{"telemetry/export/send.go"}, files: 1,
		why: "gRPC is one of the ways to a collector, and nothing else here speaks it"},
	{lib: "google.golang.org/protobuf", in: []string{statetest}, why: "tests only: what a collector is sent is read with it"},
	{lib: "go.opentelemetry.io/proto", in: []string{statetest}, why: "tests only: what a collector is sent is read with it"},
	{lib: "go.opentelemetry.io/otel", in: []string{"telemetry"},
		why: "what is told of runs, and to whom, is decided in one place"},
	{lib: "go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp", in: []string{"telemetry/handler.go"}, files: 1,
		why: "which requests are told of, and what of them, is decided in one place"},
	{lib: "github.com/moby/patternmatcher", in: []string{statetest}, why: "tests only: it decides as Docker does what .dockerignore lets in"},
	{lib: "github.com/creack/pty", in: []string{statetest}, why: "tests only: a program at a terminal is tested at one"},
	{lib: "github.com/google/go-cmp", in: []string{statetest}, why: "tests only"},
	{lib: "go.uber.org/goleak", in: []string{statetest}, why: "tests only"},
	{lib: "golang.org/x/tools/txtar", in: []string{statetest, "groupchat/groupchattest"}, why: "tests only"},
	{lib: "pgregory.net/rapid", in: []string{statetest}, why: "tests only"},
}
