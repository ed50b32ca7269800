package model

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"strings"
	"sync"
)

// A Provider opens the models of one kind of server. It checks the configuration and opens no connection: a server that
// is away is one for the calls. The problem of a setting is a [*SettingError]; several are joined by errors.Join.
// Errors must not quote possible keys. A model that is an io.Closer is closed after its last use.
type Provider func(c Config) (Model, error)

// A Config is what a provider is given of one model that somebody describes, such as the author of a team file.
type Config struct {
	// Name is what the model is called where it is described.
	Name string
	// Settings are the keys and values of the description, as encoding/json decodes a document with UseNumber.
	// Variables of the environment have been replaced.
	Settings map[string]any
	// HTTP makes requests. It connects to no address that the operator forbids, and follows redirects, which a provider
	// that sends a key turns off. It is never nil.
	HTTP *http.Client
	// Log gets what the operator should know; it is never nil.
	Log *slog.Logger
}

// A SettingError is a mistake in one setting of a [Config].
type SettingError struct {
	// Path are the keys that lead to the setting, from the top; empty for the description as a whole.
	Path []string
	// Text describes the problem and its remedy, without the value.
	Text string
}

// Error returns the setting and its problem.
func (e *SettingError) Error() string {
	if len(e.Path) == 0 {
		return e.Text
	}
	return strings.Join(e.Path, ".") + ": " + e.Text
}

// A Checker is a [Model] that can tell whether it can be asked: that its server is there, takes the key and knows the
// model. It should cost nothing, or next to nothing. Its errors are those of [Model.Stream].
type Checker interface {
	Check(ctx context.Context) error
}

// providers are those that were registered, by name.
var providers = struct {
	sync.Mutex
	byName map[string]Provider
}{byName: map[string]Provider{}}

// Register makes a provider known by a name, by which team files refer to it as the type of a model. It is meant for
// the init functions of providers' packages, so that a program has a provider as soon as it imports its package, and
// panics if the name is empty or "openai", which is built in, has other characters than letters, digits, '-' and '_',
// or is taken already. It is safe for concurrent use.
func Register(name string, p Provider) {
	if p == nil || name == "" || name == "openai" || ToolName(name) != name {
		panic(fmt.Sprintf("model: Register(%q): a provider needs a function, "+
			"and a name of letters, digits, - and _ that is not built in", name))
	}
	providers.Lock()
	defer providers.Unlock()
	if _, taken := providers.byName[name]; taken {
		panic(fmt.Sprintf("model: Register(%q): there is a provider of this name already", name))
	}
	providers.byName[name] = p
}

// Providers are those that were registered so far, by name. The map is the caller's.
func Providers() map[string]Provider {
	providers.Lock()
	defer providers.Unlock()
	return maps.Clone(providers.byName)
}
