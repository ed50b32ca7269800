package anthropic

import (
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/agui-gateway/gateway/model"
)

// Name is the type of these models in team files, and their provider in the usage of runs.
const Name = "anthropic"

func init() { model.Register(Name, Open) }

// Settings are the keys of a model in a team file.
type Settings struct {
	Key     string `json:"api_key"`
	Model   string `json:"model"`
	BaseURL string `json:"base_url"` // default: https://api.anthropic.com
	// MaxTokens is the most a reply may have, thinking included; the API wants a number. Default: 4096.
	MaxTokens   int      `json:"max_tokens"`
	Temperature *float64 `json:"temperature"`
	// Thinking is the budget of tokens for thinking before the reply; 0 is none. It has to be less than MaxTokens.
	Thinking int `json:"thinking_tokens"`
	// Timeout is how long one call may take with its retries; default: 5 minutes.
	Timeout time.Duration `json:"timeout"`
	// Retries is how often a call is made again if the server is busy or away and nothing was said; default: 2.
	Retries int `json:"retries"`
	// Price is the price of a million tokens; nil means unknown.
	Price *Price `json:"price"`
}

// A Price is a [model.Price] as team files have it.
type Price struct {
	Input       float64  `json:"input"`
	Output      float64  `json:"output"`
	CachedInput *float64 `json:"cached_input"`
}

// Defaults of [Settings].
const (
	defaultURL       = "https://api.anthropic.com"
	defaultMaxTokens = 4096
	defaultTimeout   = 5 * time.Minute
	defaultRetries   = 2
	leastThinking    = 1024 // the API's
)

// Open makes a model of what a team file says, or reports all mistakes in it. It is the [model.Provider] that is
// registered.
func Open(c model.Config) (model.Model, error) {
	s := Settings{BaseURL: defaultURL, MaxTokens: defaultMaxTokens, Timeout: defaultTimeout, Retries: defaultRetries}
	if err := c.Decode(&s); err != nil {
		return nil, err
	}
	return New(s, c.HTTP, c.Log)
}

// New makes a model. It opens no connection.
func New(s Settings, client *http.Client, log *slog.Logger) (*Model, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	own := *client
	// the key is for one server
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	m := &Model{s: s, http: &own, log: log, messages: strings.TrimRight(s.BaseURL, "/") + "/v1/messages"}
	m.models = strings.TrimRight(s.BaseURL, "/") + "/v1/models/" + url.PathEscape(s.Model)
	if s.Price != nil {
		m.price = &model.Price{Input: s.Price.Input, Output: s.Price.Output, CachedInput: s.Price.CachedInput}
	}
	return m, nil
}

// check reports every mistake, without the values, of which some are secret.
func (s *Settings) check() error {
	var errs []error
	bad := func(key, text string) { errs = append(errs, &model.SettingError{Path: []string{key}, Text: text}) }
	if s.Key == "" || strings.ContainsFunc(s.Key, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		bad("api_key",
			"there is no key, or it has characters that keys do not have; write api_key: \"${ANTHROPIC_API_KEY}\"")
	}
	if s.Model == "" {
		bad("model", "there is no model; write its name, such as claude-sonnet-4-5")
	}
	if u, err := url.Parse(s.BaseURL); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		bad("base_url", "not a URL that can be asked; write https://host")
	}
	if s.MaxTokens < 1 {
		bad("max_tokens", "not a number from 1 up")
	}
	if s.Temperature != nil && (*s.Temperature < 0 || *s.Temperature > 1) {
		bad("temperature", "not a number from 0 to 1")
	}
	if s.Thinking != 0 && (s.Thinking < leastThinking || s.Thinking >= s.MaxTokens) {
		bad("thinking_tokens", "not a number from 1024 up and below max_tokens, of which it is a part")
	}
	if s.Thinking != 0 && s.Temperature != nil {
		bad("temperature", "a model that thinks takes none; remove it, or thinking_tokens")
	}
	if s.Timeout <= 0 {
		bad("timeout", "not a length of time above 0")
	}
	if s.Retries < 0 {
		bad("retries", "not a number from 0 up")
	}
	if p := s.Price; p != nil {
		if (model.Price{Input: p.Input, Output: p.Output, CachedInput: p.CachedInput}).Check() != nil {
			bad("price", "a price is negative")
		}
	}
	return errors.Join(errs...)
}
