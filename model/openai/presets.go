package openai

import (
	"cmp"
	"slices"
	"strings"
)

// A Preset describes a server with OpenAI's API. [Options].Provider selects it by name.
type Preset struct {
	Name string
	// BaseURL is the root of its API. ${AWS_REGION} in it is a variable of the environment, which is the caller's to
	// replace. It is empty if each account has another one.
	BaseURL string
	// KeyVariable is the environment variable that the server's documentation has for the key. It is empty if the
	// server needs none, or has no BaseURL.
	KeyVariable string

	// The options that differ from the defaults.
	maxTokensField string
	structured     Structured
	echo           Echo
}

// presets are sorted by name. docs/models.md says what each was held against: servers that were written after the
// documentation, which has the URLs and names of variables here.
var presets = []Preset{
	{Name: "azure"},
	{Name: "bedrock", BaseURL: "https://bedrock-runtime.${AWS_REGION}.amazonaws.com/openai/v1",
		KeyVariable: "AWS_BEARER_TOKEN_BEDROCK", maxTokensField: maxCompletionTokens},
	{Name: "cerebras", BaseURL: "https://api.cerebras.ai/v1", KeyVariable: "CEREBRAS_API_KEY",
		maxTokensField: maxCompletionTokens},
	{Name: "deepseek", BaseURL: "https://api.deepseek.com", KeyVariable: "DEEPSEEK_API_KEY", maxTokensField: maxTokens,
		structured: StructuredObject, echo: EchoReasoningContent},
	{Name: "fireworks", BaseURL: "https://api.fireworks.ai/inference/v1", KeyVariable: "FIREWORKS_API_KEY",
		maxTokensField: maxTokens},
	{Name: "gemini", BaseURL: "https://generativelanguage.googleapis.com/v1beta/openai", KeyVariable: "GEMINI_API_KEY"},
	{Name: "groq", BaseURL: "https://api.groq.com/openai/v1", KeyVariable: "GROQ_API_KEY",
		maxTokensField: maxCompletionTokens},
	{Name: "huggingface", BaseURL: "https://router.huggingface.co/v1", KeyVariable: "HF_TOKEN",
		maxTokensField: maxTokens},
	{Name: "llama.cpp", BaseURL: "http://127.0.0.1:8080/v1"},
	{Name: "lmstudio", BaseURL: "http://127.0.0.1:1234/v1", maxTokensField: maxTokens},
	{Name: "mistral", BaseURL: "https://api.mistral.ai/v1", KeyVariable: "MISTRAL_API_KEY", maxTokensField: maxTokens},
	{Name: "ollama", BaseURL: "http://127.0.0.1:11434/v1", maxTokensField: maxTokens},
	{Name: "openai", BaseURL: "https://api.openai.com/v1", KeyVariable: "OPENAI_API_KEY"},
	{Name: "openrouter", BaseURL: "https://openrouter.ai/api/v1", KeyVariable: "OPENROUTER_API_KEY"},
	{Name: "together", BaseURL: "https://api.together.ai/v1", KeyVariable: "TOGETHER_API_KEY",
		maxTokensField: maxTokens},
	{Name: "vllm", BaseURL: "http://127.0.0.1:8000/v1"},
	{Name: "xai", BaseURL: "https://api.x.ai/v1", KeyVariable: "XAI_API_KEY"},
}

// Presets are the known servers, sorted by name. The list is the caller's.
func Presets() []Preset { return slices.Clone(presets) }

// PresetOf returns the preset of a provider; false if there is none.
func PresetOf(provider string) (Preset, bool) {
	i := slices.IndexFunc(presets, func(p Preset) bool { return p.Name == provider })
	if i < 0 {
		return Preset{}, false
	}
	return presets[i], true
}

// applyPreset fills in the options that are empty and known of o's provider.
func (o *Options) applyPreset() {
	p, _ := PresetOf(o.Provider)
	if !strings.Contains(p.BaseURL, "${") && (o.Key != "" || p.KeyVariable == "") {
		o.BaseURL = cmp.Or(o.BaseURL, p.BaseURL)
	}
	if o.API == Responses {
		return // none of the rest is an option of that API
	}
	o.MaxTokensField = cmp.Or(o.MaxTokensField, p.maxTokensField)
	o.Structured, o.Echo = cmp.Or(o.Structured, p.structured), cmp.Or(o.Echo, p.echo)
}
