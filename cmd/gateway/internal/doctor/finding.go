package doctor

import "slices"

// A Verdict is the answer to one question.
type Verdict string

// The verdicts, from the best to the worst.
const (
	OK        Verdict = "ok"
	Unchecked Verdict = "unchecked" // it could not be found out, and need not be wrong
	Warning   Verdict = "warning"   // it works, and may not for long or not always
	Wrong     Verdict = "wrong"     // a gateway does not start, or does not work as configured
)

var verdicts = []Verdict{OK, Unchecked, Warning, Wrong}

// A Finding is the answer to one question.
type Finding struct {
	Name    string  `json:"name"`              // of the question, one of Questions
	Subject string  `json:"subject,omitempty"` // distinguishes subjects of one kind: a model's name, a node's address
	Verdict Verdict `json:"verdict"`
	Says    string  `json:"sentence"`
	Mend    string  `json:"mend,omitempty"` // advice; empty if there is no problem
}

// worst returns the worst verdict of findings, OK if there are none.
func worst(findings []Finding) Verdict {
	at := 0
	for _, f := range findings {
		at = max(at, slices.Index(verdicts, f.Verdict))
	}
	return verdicts[at]
}

// A Question is the subject of findings.
type Question struct{ Name, Asks string }

// Questions are all there are, in the order in which they are answered. docs/doctor.md has them as a table.
var Questions = []Question{
	{"settings", "do the settings fit together, and is nothing set that has no effect"},
	{"store", "can the store be reached or opened, with these credentials"},
	{"store.format", "do the stored threads have the format of this version"},
	{"store.version", "is the Redis 7.0 or later"},
	{"store.role", "is the Redis a master that takes no writes without its replicas, and a cluster whole"},
	{"store.eviction", "does a full Redis refuse writes (`maxmemory-policy noeviction`), so that no thread " +
		"loses parts"},
	{"store.persistence", "does the Redis write to a disk, and did that succeed last time"},
	{"store.room", "is there room in the Redis's `maxmemory`, or below `-store-limit` in the file"},
	{"store.latency", "how long does an exchange with the Redis take"},
	{"store.rights", "may the user do all that a store does; the check creates and deletes a thread in a separate " +
		"namespace"},
	{"store.logs", "does each thread in the Redis agree with its log; of more than 10,000 on a node some are compared"},
	{"store.directory", "can the file be made and written, and is fsync taken by its disk"},
	{"store.lock", "does another process have the file"},
	{"store.file", "is the file whole: every page and record of it is read and compared with its checksums"},
	{"team", "can the team file be read, and is there nothing in it that is probably not meant"},
	{"model", "can the model's server be reached, does it take the key, does it know the model"},
	{"mcp", "does the MCP server connect and list its tools"},
	{"mcp.tools", "does it have the tools that agents name, with schemas that calls can be checked with"},
	{"mcp.names", "do the names under `approve:` belong to tools, and has no tool the name of another server's"},
	{"remote", "does an AG-UI agent answer at the URL; of `type: langgraph`, does the server answer, and has it the " +
		"assistant; of `type: a2a`, has its card an interface that is spoken here, and does it answer"},
	{"issuer", "can the issuer's discovery document and keys be read, and are they its own"},
	{"keys", "can the gateway read the keys file, and no other user write it"},
	{"certificate", "do certificate and key belong together, and for how long and which hosts is it good"},
	{"webhook", "does the webhook's receiver answer; nothing is posted"},
	{"telemetry", "can the collector that OpenTelemetry's variables name be reached; nothing is sent"},
	{"clock", "is this machine's clock that of the Redis and of the issuer"},
	{"disk", "is there free space where threads, the audit log and temporary files are written"},
	{"audit", "can the audit log be appended to"},
	{"port", "are the addresses to listen on free, or taken by a gateway that runs"},
	{"proxies", "are the networks of trusted proxies no wider than they need to be"},
	{"descriptors", "may the process open as many files as its limits of connections need"},
	{"memory", "do the limits fit into the memory that the process may have"},
}

// rank is the place of a question in the list.
func rank(name string) int {
	return slices.IndexFunc(Questions, func(q Question) bool { return q.Name == name })
}
