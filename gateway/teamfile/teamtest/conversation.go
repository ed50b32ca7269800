package teamtest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway/teamfile"
)

// maxFile limits a conversation and a file of recorded replies, in bytes.
const maxFile = 1 << 20

// A conversation is one file, read.
type conversation struct {
	file  string
	doc   *teamfile.Document
	data  []byte
	about string
	team  string // the path of its team file; empty leaves it to the options
	agent string // empty means the only one
	env   map[string]string
	// modelsOff means that the team has no models, even if the environment has a model.
	modelsOff bool
	models    []*scripted
	servers   map[string]*server
	endpoints map[string]*endpoint
	remotes   map[string]*remote
	caller    *caller
	state     json.RawMessage
	tools     []agui.Tool
	steps     []*step
}

// A caller is the principal of the conversation.
type caller struct {
	id     string
	roles  []string
	claims map[string]any
}

// read reads a file. The error names every mistake in it.
func read(file string) (*conversation, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxFile {
		return nil, fmt.Errorf("%s: larger than 1 MiB; write several conversations", file)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	c := parse(file, data)
	return c, c.doc.Err()
}

// parse reads the bytes of a file. The document has the mistakes.
func parse(file string, data []byte) *conversation {
	c := &conversation{file: file, data: data, doc: teamfile.ReadDocument(file, data)}
	c.read()
	return c
}

func (c *conversation) read() {
	root := c.doc.Root()
	if root == nil {
		return
	}
	f := root.Fields("a conversation", "conversation")
	c.about = f.Take("about").Text()
	c.team = c.path(f.Take("team"))
	c.agent = f.Take("agent").Text()
	c.env = f.Take("env").TextMap("env")
	c.readModels(f.Take("models"))
	c.readServers(f.Take("mcp"))
	c.readEndpoints(f.Take("http"))
	c.readRemotes(f.Take("remotes"))
	c.readCaller(f.Take("principal"))
	state := f.Take("state")
	if !state.IsMapping() {
		state.Bad("the state is a mapping; write `state: { name: value }`")
	}
	c.state = state.JSON()
	for _, tool := range f.Take("tools").List("tools") {
		c.readTool(tool)
	}
	list := f.Need("conversation", "list what is said, such as `- user: \"Hello\"` and "+
		"`- expect: { says: \"Hello.\" }`")
	c.readSteps(list)
	f.End()
}

// path reads a path, which is relative to the directory of the file; empty for an absent value.
func (c *conversation) path(v *teamfile.Value) string {
	p := v.Text()
	if v == nil || filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(filepath.Dir(c.file), filepath.FromSlash(p))
}

func (c *conversation) readCaller(v *teamfile.Value) {
	if v == nil {
		return
	}
	f := v.Fields("the principal", "principal")
	c.caller = &caller{id: f.Need("id", "name somebody, such as `id: ada`").Text()}
	for _, role := range f.Take("roles").List("roles") {
		c.caller.roles = append(c.caller.roles, role.Text())
	}
	if claims := f.Take("claims"); claims != nil && json.Unmarshal(claims.JSON(), &c.caller.claims) != nil {
		claims.Bad("claims are a mapping; write `claims: { name: value }`")
	}
	f.End()
}

// readTool reads a tool of the frontend.
func (c *conversation) readTool(v *teamfile.Value) {
	f := v.Fields("a tool of the frontend", "frontend tool")
	c.tools = append(c.tools, agui.Tool{
		Name:        f.Need("name", "name it as the page does").Text(),
		Description: f.Take("description").Text(),
		Parameters:  f.Take("parameters").JSON(),
	})
	f.End()
}
