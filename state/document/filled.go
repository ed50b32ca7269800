package document

import (
	"encoding/json"
	"slices"

	"github.com/agui-gateway/gateway/internal/jsonpatch"
)

// Filled reports whether raw says anything: absent, null, "", [], {} and containers of only such do not. Managers judge
// progress by it, because a page that seeds its state with empty lists has done nothing yet.
func Filled(raw json.RawMessage) bool {
	if len(raw) == 0 {
		return false
	}
	v, err := jsonpatch.Parse(raw)
	return err == nil && filled(v)
}

func filled(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case string:
		return v != ""
	case []any:
		return slices.ContainsFunc(v, filled)
	case map[string]any:
		for _, item := range v {
			if filled(item) {
				return true
			}
		}
		return false
	default:
		return true
	}
}
