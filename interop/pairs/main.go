// Command pairs prints random states with the patch that leads from one to the other, for the tests that hold
// our patches to what a client's library makes of them.
//
// Each line is {"old":…,"patch":…,"new":…}. A third of the patches come from [document.Diff], a third are what a
// [document.Document] tells its readers of one change, and a third what it tells them of a patch from outside,
// which is a replacement of the whole document if more operations would be needed than a delta may have.
//
// With -states it prints one random state per line instead. With -merge it reads lines in turn, a state and what a
// client that was sent it sends back, and prints the state as [document.MergeClient] leaves it.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state/document"
)

func main() {
	n := flag.Int("n", 20000, "how many pairs")
	seed := flag.Uint64("seed", 1, "seed of the generator")
	states := flag.Bool("states", false, "print states, without patches")
	merges := flag.Bool("merge", false, "merge what clients send back into states, both read from standard input")
	flag.Parse()
	out := bufio.NewWriter(os.Stdout)
	g := generator{rand.New(rand.NewPCG(*seed, 7))}
	var err error
	switch {
	case *merges:
		err = merge(out, os.Stdin)
	case *states:
		err = g.states(out, *n)
	default:
		err = g.pairs(out, *n)
	}
	if err := errors.Join(err, out.Flush()); err != nil {
		fmt.Fprintln(os.Stderr, "pairs:", err)
		os.Exit(1)
	}
}

type pair struct {
	Old   json.RawMessage `json:"old"`
	Patch agui.Patch      `json:"patch"`
	New   json.RawMessage `json:"new"`
}

func (g generator) pairs(w io.Writer, n int) error {
	enc := json.NewEncoder(w)
	for i := range n {
		next := []func() (pair, error){g.diff, g.change, g.outside}[i%3]
		p, err := next()
		if err != nil {
			return err
		}
		if err := enc.Encode(p); err != nil {
			return err
		}
	}
	return nil
}

// states prints n states in the spelling that documents have.
func (g generator) states(w io.Writer, n int) error {
	for range n {
		content := g.object(4)
		if g.IntN(8) == 0 {
			content["beyond"] = json.Number("1e400") // the library that applies patches makes null of it
		}
		raw, err := json.Marshal(content)
		if err != nil {
			return err
		}
		d, err := document.New(raw, document.Options{})
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "%s\n", d.JSON()); err != nil {
			return err
		}
	}
	return nil
}

// merge reads a state and a client's, and prints the merged one, until r ends.
func merge(w io.Writer, r io.Reader) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		server := bytes.Clone(lines.Bytes())
		if !lines.Scan() {
			return errors.New("a state without a client's")
		}
		d, err := document.New(server, document.Options{})
		if err != nil {
			return err
		}
		if err := document.MergeClient(d, server, lines.Bytes(), document.MergeOptions{}); err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "%s\n", d.JSON()); err != nil {
			return err
		}
	}
	return lines.Err()
}

type generator struct{ *rand.Rand }

// The members and scalars that patches go wrong with.
var (
	keys = []string{"", "a", "b", "c", "a/b", "~", "~1", "ключ", "\"", "\\", "\n", "0", "-", "01",
		"__proto__", "constructor", "prototype", "length", "toString", "<&>", "\u2028", "😀"}
	scalars = []any{nil, true, false, "", "x", "é\u0000\"\\", "<b>&", json.Number("0"), json.Number("1"),
		json.Number("1.0"), json.Number("-0"), json.Number("1e3"), json.Number("9007199254740993"),
		json.Number("12345678901234567890123"), json.Number("-9223372036854775809"),
		json.Number("12.0"), json.Number("150e-2"), json.Number("0.10"), json.Number("1e-400")}
)

func (g generator) diff() (pair, error) {
	before := g.object(4)
	after := g.object(4)
	if g.IntN(5) > 0 {
		after = g.vary(before, 4).(map[string]any)
	}
	old, err := json.Marshal(before)
	if err != nil {
		return pair{}, err
	}
	new, err := json.Marshal(after)
	if err != nil {
		return pair{}, err
	}
	patch, err := document.Diff(old, new)
	return pair{old, patch, new}, err
}

// change makes one change to a document: a value set or removed somewhere, or a patch of somebody else's.
func (g generator) change() (pair, error) {
	content := g.object(4)
	old, err := json.Marshal(content)
	if err != nil {
		return pair{}, err
	}
	p := pair{Old: old}
	d, err := document.New(old, document.Options{OnChange: func(c document.Change) error {
		p.Patch = c.Patch
		return nil
	}})
	if err != nil {
		return pair{}, err
	}
	for range 10 { // a pointer may lead nowhere
		switch g.IntN(5) {
		case 0:
			err = d.Remove(g.pointer(content))
		case 1:
			err = g.transfer(d, content)
		default:
			err = d.Set(g.pointer(content), g.value(3))
		}
		if err == nil {
			break
		}
	}
	p.New = d.JSON()
	return p, nil
}

// maxPatchOps is the most operations that a delta of a patch from outside may have here.
const maxPatchOps = 2

// outside applies a patch from outside to a document. Some patches are refused, such as those of a member without a
// name, so it tries until one is not.
func (g generator) outside() (pair, error) {
	for {
		want, err := g.diff()
		if err != nil {
			return pair{}, err
		}
		body, err := json.Marshal(want.Patch)
		if err != nil {
			return pair{}, err
		}
		var made agui.Patch
		d, err := document.New(want.Old,
			document.Options{MaxPatchOps: maxPatchOps, OnChange: func(c document.Change) error {
				if len(c.Patch) > maxPatchOps || c.Snapshot != nil {
					return fmt.Errorf("a patch of %d operations, or a snapshot, is sent for one from "+
						"outside", len(c.Patch))
				}
				made = c.Patch
				return nil
			}})
		if err != nil {
			return pair{}, err
		}
		err = d.ApplyOutside(document.OutsidePatch{Body: body}, nil)
		if _, refused := errors.AsType[*document.OutsideError](err); refused {
			continue
		}
		return pair{want.Old, made, d.JSON()}, err
	}
}

// transfer applies a move or a copy to d, which holds content, and every other time an addition with it. Most of those
// at random lead nowhere, so it tries many.
func (g generator) transfer(d *document.Document, content any) (err error) {
	for range 200 {
		from := g.pointer(content)
		p := agui.Patch{{Op: g.pick("move", "copy"), From: from, Path: g.near(content, from)}}
		if g.IntN(2) == 0 {
			p = append(p, agui.PatchOp{Op: "add", Path: g.pointer(content), Value: json.RawMessage(`{"b":[1]}`)})
		}
		if err = d.Apply(context.Background(), p); err == nil && d.Rev() > 0 {
			return nil
		}
	}
	return err
}

func (g generator) pick(from ...string) string { return from[g.IntN(len(from))] }

func (g generator) object(depth int) map[string]any {
	m := map[string]any{}
	for range g.IntN(5) {
		m[g.pick(keys...)] = g.value(depth - 1)
	}
	return m
}

func (g generator) value(depth int) any {
	if depth > 0 {
		switch g.IntN(4) {
		case 0:
			return g.object(depth)
		case 1:
			list := make([]any, g.IntN(6))
			for i := range list {
				list[i] = g.value(depth - 1)
			}
			return list
		}
	}
	return scalars[g.IntN(len(scalars))]
}

// vary returns v with something changed; what did not change is shared.
func (g generator) vary(v any, depth int) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for _, key := range members(v) {
			switch g.IntN(6) {
			case 0:
			case 1, 2:
				out[key] = g.vary(v[key], depth-1)
			default:
				out[key] = v[key]
			}
		}
		if g.IntN(3) == 0 {
			out[g.pick(keys...)] = g.value(depth - 1)
		}
		return out
	case []any:
		out := slices.Clone(v)
		for range g.IntN(3) {
			i := g.IntN(len(out) + 1)
			switch {
			case i == len(out) || g.IntN(3) == 0:
				out = slices.Insert(out, i, g.value(depth-1))
			case g.IntN(2) == 0:
				out = slices.Delete(out, i, i+1)
			default:
				out[i] = g.vary(out[i], depth-1)
			}
		}
		return out
	}
	return g.value(depth)
}

// pointer returns a pointer that leads somewhere in v, or nearly.
func (g generator) pointer(v any) string { return g.below("", v) }

// near returns a pointer that leads somewhere in v, or nearly; every other one passes what holds the value at from,
// which a move changes on the way.
func (g generator) near(v any, from string) string {
	holder := from[:max(0, strings.LastIndexByte(from, '/'))]
	if g.IntN(2) == 0 {
		return g.pointer(v)
	}
	return g.below(holder, at(v, holder))
}

// at returns the value at pointer in v, nil if there is none.
func at(v any, pointer string) any {
	for _, name := range strings.Split(pointer, "/")[1:] {
		name = strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
		switch c := v.(type) {
		case map[string]any:
			v = c[name]
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i >= len(c) {
				return nil
			}
			v = c[i]
		default:
			return nil
		}
	}
	return v
}

// below returns a pointer that leads somewhere in v, or nearly, behind the pointer to v itself.
func (g generator) below(to string, v any) string {
	var path []string
	for g.IntN(4) > 0 {
		switch c := v.(type) {
		case map[string]any:
			key := g.pick(keys...)
			if has := members(c); len(has) > 0 && g.IntN(4) > 0 {
				key = g.pick(has...)
			}
			path, v = append(path, key), c[key]
		case []any:
			i := g.IntN(len(c) + 1)
			if path, v = append(path, strconv.Itoa(i)), nil; i < len(c) {
				v = c[i]
			}
		default:
			return to + document.Pointer(append(path, g.pick(keys...))...)
		}
	}
	return to + document.Pointer(path...)
}

// members returns m's names in an order that is the same in every run.
func members(m map[string]any) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
