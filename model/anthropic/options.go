package anthropic

import (
	"cmp"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/agui-gateway/gateway/model"
)

const (
	// Name is the provider of these models in team files and in the usage of runs.
	Name = "anthropic"
	// KeyVariable is the environment variable that Anthropic's documentation has for the key.
	KeyVariable = "ANTHROPIC_API_KEY"
)

// Options say which model is asked and how. Key and Name are required. The tags are the keys of team files.
type Options struct {
	Key     string `json:"api_key"`  // it is in no log and no error
	Name    string `json:"model"`    // by which the API knows the model
	BaseURL string `json:"base_url"` // with or without /v1; empty means https://api.anthropic.com
	// MaxTokens limits what the model writes in one call, thinking included; the API wants a number. 0 means 8192, or
	// 4096 more than Thinking if that is more.
	MaxTokens   int      `json:"max_tokens"`
	Temperature *float64 `json:"temperature"` // from 0 to 1, if it is set; models that think refuse it
	// Effort lets the model decide how much it thinks, up to a level: low, medium, high, … Thinking is a number of
	// tokens for that, from 1024 up and below MaxTokens. Models before Claude 4.6 refuse Effort, and those from Claude
	// 4.7 on refuse Thinking.
	Effort   string `json:"effort"`
	Thinking int    `json:"thinking_tokens"`
	// Price is what the model's tokens cost; nil if that is not known.
	Price *model.Price `json:"price"`
	// Timeout is how long one call may take, its retries included; 0 means 2 minutes. Idle is how long a reply that has
	// begun may keep silent; 0 means 1 minute.
	Timeout time.Duration `json:"timeout"`
	Idle    time.Duration `json:"idle"`
	// Retries is how often a call is made again when the server is busy or away and nothing of its reply was passed on
	// yet; 0 means 2, -1 none.
	Retries int `json:"retries"`
	// HTTP makes the requests; nil means a client of the model. Redirects are not followed: the key is for one server.
	HTTP *http.Client `json:"-"`
	Log  *slog.Logger `json:"-"` // gets the retries; nil keeps silent
}

// String names the model without its key.
func (o Options) String() string { return "model " + Name + "/" + o.Name }

// GoString is String: no verb of fmt prints the key.
func (o Options) GoString() string { return o.String() }

// LogValue is String for a log.
func (o Options) LogValue() slog.Value { return slog.StringValue(o.String()) }

// Open makes a model of a description in a team file, or reports all mistakes in it. It is a [model.Provider].
func Open(c model.Config) (model.Model, error) {
	o := Options{Retries: 2, HTTP: c.HTTP, Log: c.Log}
	err := c.Decode(&o)
	switch {
	case err != nil:
		return nil, err
	case o.Retries < 0:
		o.Retries = -2 // a mistake: files have no number for none but 0
	case o.Retries == 0:
		o.Retries = -1
	}
	m, err := New(o)
	if err != nil {
		return nil, err
	}
	return m, nil
}

// normalize fills in the defaults and returns the root of the API. It reports every mistake, without the values, of
// which some are secret.
func (o *Options) normalize() (*url.URL, error) {
	var errs []error
	check := func(good bool, key, text string) {
		if !good {
			errs = append(errs, &model.SettingError{Path: []string{key}, Text: text})
		}
	}
	base, err := url.Parse(cmp.Or(o.BaseURL, "https://api.anthropic.com"))
	check(err == nil && base.Host != "" && (base.Scheme == "http" || base.Scheme == "https"), "base_url",
		"not a URL that can be asked; write https://host")
	if err == nil {
		base.Path = strings.TrimSuffix(strings.TrimRight(base.Path, "/"), "/v1")
	}
	o.MaxTokens = cmp.Or(o.MaxTokens, max(8192, o.Thinking+4096))
	t := o.Temperature
	check(o.Key != "", "api_key", "there is no key; set "+KeyVariable+", or write one")
	check(!strings.ContainsFunc(o.Key, func(r rune) bool { return r <= ' ' || r >= 0x7f }), "api_key",
		"the key has characters that keys do not have")
	check(o.Name != "", "model", "there is no model; write its name, such as claude-sonnet-4-5")
	check(o.MaxTokens > 0, "max_tokens", "not a number from 1 up")
	check(t == nil || *t >= 0 && *t <= 1, "temperature", "not a number from 0 to 1")
	check(t == nil || !o.thinks(), "temperature", "a model that thinks takes none; remove it, or effort")
	check(o.Thinking == 0 || o.Thinking >= 1024 && o.Thinking < o.MaxTokens, "thinking_tokens",
		"not a number from 1024 up and below max_tokens, of which it is a part")
	check(o.Thinking == 0 || o.Effort == "", "effort", "a model takes this or thinking_tokens; remove one")
	check(o.Retries >= -1, "retries", "not a number from 0 up")
	check(o.Price == nil || o.Price.Check() == nil, "price", "a price is negative or no number")
	return base, errors.Join(errs...)
}

// thinks reports whether the options ask the model to think.
func (o *Options) thinks() bool { return o.Effort != "" || o.Thinking > 0 }
