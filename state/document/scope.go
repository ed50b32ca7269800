package document

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/internal/jsonpatch"
)

// ErrForbidden is returned for a write that a [Scope] does not allow.
var ErrForbidden = errors.New("document: not writable here")

// A Reader is state that can be looked at: a [Document] or a [Scope].
type Reader interface {
	// Get decodes the value at a JSON Pointer into v and reports whether there is one.
	Get(pointer string, v any) (bool, error)
	// Raw returns the JSON of the value at a JSON Pointer, and false if there is none.
	Raw(pointer string) (json.RawMessage, bool)
}

// A Scope is an agent's view of the state: the shared document itself, or a private one. It is safe for concurrent use.
type Scope struct {
	doc *Document
	own bool // doc is private

	// parent and out are where results of a mapped scope go, pointer by pointer.
	parent *Scope
	out    map[string]string

	// writable lists the pointers at and below which may be written; nil means all.
	writable []string
}

// A Mapping says what a mapped scope takes from its parent and gives back to it.
type Mapping struct {
	// In maps names in the scope, without a slash in front, to pointers of the parent. They are copied once, when
	// the scope begins; what the parent does not have is left out.
	In map[string]string
	// Out maps pointers of the scope to pointers of the parent, to which they are copied when it ends, through
	// the parent's reducers; what the scope does not have is left out.
	Out map[string]string
	// Reducers are those of the scope's own document.
	Reducers Reducers
}

// Shared returns a scope that is d: what an agent changes, its readers see.
func Shared(d *Document) *Scope { return &Scope{doc: d} }

// Isolated returns a scope with a private document, which begins as raw and never reaches the wire.
// The options' OnChange is ignored.
func Isolated(raw json.RawMessage, o Options) (*Scope, error) {
	o.OnChange = nil
	doc, err := New(raw, o)
	if err != nil {
		return nil, err
	}
	return &Scope{doc: doc, own: true}, nil
}

// Mapped returns a scope with a private document that begins with m's inputs and, at [Scope.Finish],
// gives its outputs to parent. With saved, from [Scope.Save], it continues that one instead.
func Mapped(parent *Scope, m Mapping, saved json.RawMessage) (*Scope, error) {
	for _, from := range m.In {
		if _, err := jsonpatch.ParsePointer(from); err != nil {
			return nil, err
		}
	}
	for from, to := range m.Out {
		_, err := jsonpatch.ParsePointer(from)
		if _, other := jsonpatch.ParsePointer(to); err != nil || other != nil {
			return nil, errors.Join(err, other)
		}
	}
	if saved == nil {
		inputs := map[string]any{}
		for name, from := range m.In {
			if raw, ok := parent.Raw(from); ok {
				inputs[name] = raw
			}
		}
		raw, err := json.Marshal(inputs)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrValue, err)
		}
		saved = raw
	}
	s, err := Isolated(saved, Options{Reducers: m.Reducers, MaxSize: parent.doc.o.MaxSize})
	if err != nil {
		return nil, err
	}
	s.parent, s.out = parent, maps.Clone(m.Out)
	return s, nil
}

// Restrict returns the same scope through which only pointers at or below one of writable can be written,
// within what s itself allows.
func (s *Scope) Restrict(writable ...string) *Scope {
	allowed := []string{}
	for _, w := range writable {
		if s.check(w) == nil {
			allowed = append(allowed, w)
		}
	}
	for _, w := range s.writable {
		if slices.ContainsFunc(writable, func(top string) bool { return jsonpatch.Below(w, top) }) {
			allowed = append(allowed, w)
		}
	}
	restricted := *s
	restricted.writable = allowed
	return &restricted
}

func (s *Scope) check(pointer string) error {
	if s.writable == nil ||
		slices.ContainsFunc(s.writable, func(top string) bool { return jsonpatch.Below(pointer, top) }) {
		return nil
	}
	return fmt.Errorf("%w: %q", ErrForbidden, pointer)
}

// Get is [Document.Get].
func (s *Scope) Get(pointer string, v any) (bool, error) { return s.doc.Get(pointer, v) }

// Raw is [Document.Raw].
func (s *Scope) Raw(pointer string) (json.RawMessage, bool) { return s.doc.Raw(pointer) }

// JSON is [Document.JSON].
func (s *Scope) JSON() json.RawMessage { return s.doc.JSON() }

// Rev returns how many changes were made to what the scope shows, see [Document.Rev].
func (s *Scope) Rev() int { return s.doc.Rev() }

// Set is [Document.Set], or [ErrForbidden].
func (s *Scope) Set(pointer string, v any) error {
	if err := s.check(pointer); err != nil {
		return err
	}
	return s.doc.Set(pointer, v)
}

// Remove is [Document.Remove], or [ErrForbidden].
func (s *Scope) Remove(pointer string) error {
	if err := s.check(pointer); err != nil {
		return err
	}
	return s.doc.Remove(pointer)
}

// Apply is [Document.Apply], or [ErrForbidden] if any of the operations writes where s does not allow it.
func (s *Scope) Apply(ctx context.Context, p agui.Patch) error {
	for _, op := range p {
		if op.Op == "test" {
			continue
		}
		if err := s.check(op.Path); err != nil {
			return err
		}
		if op.Op != "move" {
			continue
		}
		if err := s.check(op.From); err != nil {
			return err
		}
	}
	return s.doc.Apply(ctx, p)
}

// Finish gives a mapped scope's outputs to its parent, in the order of their pointers. For other scopes
// there is nothing to do.
func (s *Scope) Finish() error {
	for _, from := range slices.Sorted(maps.Keys(s.out)) {
		raw, ok := s.Raw(from)
		if !ok {
			continue
		}
		if err := s.parent.Set(s.out[from], raw); err != nil {
			return fmt.Errorf("output %q: %w", from, err)
		}
	}
	return nil
}

// Save returns what a checkpoint keeps of the scope: its own document, or nil if it is the shared one, which
// is kept anyway.
func (s *Scope) Save() json.RawMessage {
	if !s.own {
		return nil
	}
	return s.doc.JSON()
}
