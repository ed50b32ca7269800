package groupchat

import (
	"strings"

	"github.com/agui-gateway/gateway/state/document"
)

// Conditions for tests of this package, which cannot import package condition.

func missing(pointer string) Condition {
	return func(v View) bool {
		raw, ok := v.State.Raw(pointer)
		return !ok || !document.Filled(raw)
	}
}

func not(c Condition) Condition { return func(v View) bool { return !c(v) } }

func allOf(a, b Condition) Condition { return func(v View) bool { return a(v) && b(v) } }

func spoke(name string) Condition { return func(v View) bool { return v.LastSpeaker == name } }

// equals holds while the value at pointer is raw.
func equals(pointer, raw string) Condition {
	return func(v View) bool {
		got, ok := v.State.Raw(pointer)
		return ok && string(got) == raw
	}
}

func userSaid(part string) Condition {
	return func(v View) bool {
		m, ok := v.LastUser()
		return ok && strings.Contains(m.Content.Text(), part)
	}
}

func said(name, part string) Condition {
	return func(v View) bool {
		m, ok := v.LastWords(name)
		return ok && strings.Contains(m.Content.Text(), part)
	}
}
