package openai

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/agui-gateway/gateway/model"
)

// Options say where a model is and how it is asked. Only Name is required.
type Options struct {
	// Provider names the model's server in the usage of runs; empty means the host of BaseURL. The name of a [Preset]
	// sets empty options to the values for that server. "azure" also says that BaseURL is an Azure OpenAI resource,
	// and Name a deployment there.
	Provider string
	// BaseURL is the root of an OpenAI-compatible API; empty means the preset's, or OpenAI's own, which needs a Key.
	BaseURL string
	Key     string // the API key; it is in no log and no error
	Name    string // by which the server knows the model
	// APIVersion is Azure's; empty means 2024-10-21.
	APIVersion string

	// Temperature is sent if it is set, 0 included; Effort likewise ("low", "medium", "high", … of models that reason).
	Temperature *float64
	Effort      string
	// MaxTokens limits what the model generates in one call; 0 leaves that to the server.
	MaxTokens int

	// API says through which of OpenAI's APIs the model is asked; empty means [ChatCompletions].
	API API
	// Structured says how replies by schema are asked for; empty begins with [StructuredSchema] and finds out what the
	// server takes.
	Structured Structured
	// Echo says whether what the model thought is sent back to it in its turn's following calls, and as what; empty
	// means [EchoOff].
	Echo Echo
	// MaxTokensField is the member of the request that MaxTokens is sent in, max_tokens or max_completion_tokens. Empty
	// means max_completion_tokens for OpenAI's and Azure's servers and if Effort is set, else max_tokens.
	MaxTokensField string
	// AcceptUnfinished accepts replies without a finish reason, which some servers send: a cut reply then looks
	// complete. By default such a reply is an error.
	AcceptUnfinished bool

	// Price is what the model's tokens cost; nil if that is not known.
	Price *model.Price

	// Timeout is how long one call may take, its retries included; 0 means 2 minutes.
	Timeout time.Duration
	// Idle is how long the server may send nothing once it has answered; comments in its stream count as something. 0
	// means 1 minute.
	Idle time.Duration
	// Retries is how often a call is made again when the server is busy or away and nothing of its reply was passed on
	// yet; 0 means 2, -1 none.
	Retries int
	// MaxReply is the most bytes of one reply, decompressed; 0 means 64 MiB.
	MaxReply int64

	// HTTP makes the requests; nil means a client of the model's own, which connects to no link-local address and none
	// of a cloud's metadata. Redirects are not followed: the key is for one server.
	HTTP *http.Client
	// Log gets the retries; nil keeps silent.
	Log *slog.Logger
}

// String names the model without its key.
func (o Options) String() string { return "model " + o.Provider + "/" + o.Name }

// GoString is String: no verb of fmt prints the key.
func (o Options) GoString() string { return o.String() }

// LogValue is String for a log.
func (o Options) LogValue() slog.Value { return slog.StringValue(o.String()) }

// azureAPIVersion is the version of Azure's API that is asked for unless the options name one.
const azureAPIVersion = "2024-10-21"

// normalize fills in the defaults and returns the parsed base URL.
func (o *Options) normalize() (*url.URL, error) {
	if o.Name == "" {
		return nil, errors.New("has no name")
	}
	o.applyPreset()
	if o.BaseURL == "" {
		if _, preset := PresetOf(o.Provider); o.Key == "" || preset {
			return nil, errors.New("has neither a base URL nor a key for the default one")
		}
		o.BaseURL = "https://api.openai.com/v1"
	}
	base, err := url.Parse(o.BaseURL)
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return nil, errors.New("base URL is not an http or https URL") // it may hold a password, so it is not quoted
	}
	if strings.ContainsFunc(o.Key, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return nil, errors.New("key holds white space or control characters")
	}
	if t := o.Temperature; t != nil && (*t < 0 || *t > 2) {
		return nil, fmt.Errorf("temperature is %v, want 0 to 2", *t)
	}
	if o.MaxTokens < 0 {
		return nil, errors.New("a limit is negative")
	}
	if o.Price != nil {
		if err := o.Price.Check(); err != nil {
			return nil, err
		}
	}
	o.Provider = cmp.Or(o.Provider, base.Hostname())
	if o.API = cmp.Or(o.API, ChatCompletions); o.API == ChatCompletions {
		o.APIVersion = cmp.Or(o.APIVersion, azureAPIVersion)
	}
	return base, o.checkDialect()
}
