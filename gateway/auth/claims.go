package auth

import (
	"errors"
	"slices"
	"strings"
)

var errRoles = errors.New("the token's roles are neither a list of texts nor one text")

// rolesOf returns the roles in claims, if any, at place: a member's name, or a JSON Pointer.
func rolesOf(claims map[string]any, place string) ([]string, error) {
	value, ok := at(claims, place)
	if !ok || value == nil {
		return nil, nil
	}
	switch value := value.(type) {
	case string:
		return slices.DeleteFunc(strings.Split(value, " "), func(role string) bool { return role == "" }), nil
	case []any:
		roles := make([]string, 0, len(value))
		for _, v := range value {
			role, ok := v.(string)
			if !ok {
				return nil, errRoles
			}
			roles = append(roles, role)
		}
		return roles, nil
	default:
		return nil, errRoles
	}
}

// at returns the value at place. Claims may be named by URLs, so only a place that begins with a slash is a pointer.
func at(claims map[string]any, place string) (any, bool) {
	pointer, isPointer := strings.CutPrefix(place, "/")
	if !isPointer {
		value, ok := claims[place]
		return value, ok
	}
	var value any = claims
	for name := range strings.SplitSeq(pointer, "/") {
		object, ok := value.(map[string]any)
		if !ok {
			return nil, false
		}
		name = strings.ReplaceAll(strings.ReplaceAll(name, "~1", "/"), "~0", "~")
		if value, ok = object[name]; !ok {
			return nil, false
		}
	}
	return value, true
}
