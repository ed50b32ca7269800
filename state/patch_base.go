package state

import (
	"encoding/json"

	"github.com/agui-gateway/gateway/internal/jsonpatch"
	"github.com/agui-gateway/gateway/state/document"
)

// patchedBase is which state the caller last saw of a thread that was patched since its newest run ended: no message
// says whether it has got it. It is the one that theirs differs from least; in doubt the one before the patches.
func patchedBase(t *Thread, f Facts, present, theirs json.RawMessage) (json.RawMessage, error) {
	before, err := f.Past().Oldest(present, t.restMark())
	if err != nil {
		return nil, err
	}
	ours, err := jsonpatch.Parse(before)
	if err != nil {
		return nil, err
	}
	own, err := jsonpatch.Parse(theirs)
	if err != nil {
		return nil, err
	}
	now, err := jsonpatch.Parse(present)
	if err != nil {
		return nil, err
	}
	if differences(own, now) < differences(own, ours) {
		return present, nil
	}
	return before, nil
}

// differences counts the values that a client's has otherwise than ours, or lacks, or has in addition.
func differences(theirs, ours any) int {
	n := 0
	switch ours := ours.(type) {
	case map[string]any:
		theirs, ok := theirs.(map[string]any)
		if !ok {
			return 1
		}
		for name, v := range ours {
			if other, ok := theirs[name]; ok {
				n += differences(other, v)
			} else {
				n++
			}
		}
		for name := range theirs {
			if _, ok := ours[name]; !ok {
				n++
			}
		}
	case []any:
		theirs, ok := theirs.([]any)
		if !ok {
			return 1
		}
		shared := min(len(ours), len(theirs))
		n = len(ours) + len(theirs) - 2*shared
		for i := range shared {
			n += differences(theirs[i], ours[i])
		}
	default:
		if !document.SameValue(theirs, ours) {
			return 1
		}
	}
	return n
}
