package document

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/agui-gateway/gateway/internal/jsonpatch"
	"github.com/agui-gateway/gateway/internal/jsonscan"
)

// A client reads a number as a float64 and spells it in its own way: a browser that was sent 12.0 sends 12 back, and
// 1234567890123456800 for 1234567890123456789. None of that is an edit.

// SameValue reports whether theirs, from a client, is what a client has that was sent ours. Numbers are the same if
// their float64 is; one that is beyond a float64 comes back as null.
func SameValue(theirs, ours any) bool {
	switch ours := ours.(type) {
	case []any:
		theirs, ok := theirs.([]any)
		return ok && slices.EqualFunc(theirs, ours, SameValue)
	case map[string]any:
		theirs, ok := theirs.(map[string]any)
		return ok && maps.EqualFunc(theirs, ours, SameValue)
	case json.Number:
		f := float(ours)
		switch theirs := theirs.(type) {
		case json.Number:
			return theirs == ours || float(theirs) == f
		case nil:
			return math.IsInf(f, 0)
		}
		return false
	default:
		return jsonpatch.Identical(theirs, ours)
	}
}

// float is n as a client reads it; infinite if it is beyond a float64.
func float(n json.Number) float64 {
	f, _ := strconv.ParseFloat(string(n), 64) // out of range is the only error of a number of JSON
	return f
}

// Respell returns theirs, which a client made of ours, with equal values spelled as in ours. Members of objects
// correspond by name. Elements of arrays correspond if they are the same; those left over do, in their order, if
// there are equally many on both sides. What corresponds to nothing stays as the client spells it.
func Respell(theirs, ours any) any {
	if SameValue(theirs, ours) {
		return jsonpatch.Clone(ours)
	}
	switch ours := ours.(type) {
	case []any:
		if theirs, ok := theirs.([]any); ok {
			return respellArray(theirs, ours)
		}
	case map[string]any:
		theirs, ok := theirs.(map[string]any)
		if !ok {
			break
		}
		out := make(map[string]any, len(theirs))
		for key, item := range theirs {
			if had, ok := ours[key]; ok {
				item = Respell(item, had)
			}
			out[key] = item
		}
		return out
	}
	return theirs
}

func respellArray(theirs, ours []any) []any {
	places := map[string][]int{} // where ours has a value
	for i, item := range ours {
		key := string(appendValue(nil, item))
		places[key] = append(places[key], i)
	}
	out := make([]any, len(theirs))
	edited, left := []int{}, make([]bool, len(ours))
	for i, item := range theirs {
		key := string(appendValue(nil, item))
		if same := places[key]; len(same) > 0 {
			out[i], left[same[0]], places[key] = jsonpatch.Clone(ours[same[0]]), true, same[1:]
			continue
		}
		out[i], edited = item, append(edited, i)
	}
	if len(theirs) != len(ours) {
		return out
	}
	for i, taken := range left {
		if !taken {
			out[edited[0]] = Respell(theirs[edited[0]], ours[i])
			edited = edited[1:]
		}
	}
	return out
}

// appendValue appends a text that values have in common that are the same to a client.
func appendValue(dst []byte, v any) []byte {
	switch v := v.(type) {
	case []any:
		dst = append(dst, '[')
		for _, item := range v {
			dst = append(appendValue(dst, item), ',')
		}
		return append(dst, ']')
	case map[string]any:
		dst = append(dst, '{')
		for _, key := range jsonpatch.SortedKeys(v) {
			dst = append(jsonscan.AppendQuoted(dst, key), ':')
			dst = append(appendValue(dst, v[key]), ',')
		}
		return append(dst, '}')
	case json.Number:
		f := float(v)
		switch {
		case math.IsInf(f, 0):
			return append(dst, "null"...)
		case f == 0: // -0 too
			return append(dst, '0')
		}
		return strconv.AppendFloat(dst, f, 'g', -1, 64)
	default:
		return jsonpatch.Append(dst, v)
	}
}
