package guard

import (
	"log/slog"
	"slices"
	"unicode/utf8"
)

type finder struct {
	mask  string
	find  func(text string) [][2]int
	holds func(text string) int // where what may be the beginning of something begins
}

type span struct {
	start, end int
	mask       string
}

// spans are what finders find in text, in order; of those that overlap, the first, made longer.
func spans(finders []finder, text string) []span {
	var all []span
	for _, f := range finders {
		for _, at := range f.find(text) {
			if at[1] > at[0] {
				all = append(all, span{at[0], at[1], f.mask})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b span) int { return a.start - b.start })
	merged := all[:0]
	for _, s := range all {
		if n := len(merged); n > 0 && s.start < merged[n-1].end {
			merged[n-1].end = max(merged[n-1].end, s.end)
			continue
		}
		merged = append(merged, s)
	}
	return merged
}

// masked is text with masks in the place of spans, from an offset on.
func masked(text string, from int, found []span) string {
	out := make([]byte, 0, len(text)-from)
	for _, s := range found {
		if s.end <= from {
			continue
		}
		if s.start > from {
			out = append(out, text[from:s.start]...)
		}
		out = append(out, s.mask...)
		from = s.end
	}
	return string(append(out, text[from:]...))
}

// longest is the maximum number of bytes of one match that are held back. Then the text passes, with the matched part
// masked.
const longest = 16 << 10

// A masking is a text in which what finders find is masked, or refused, as it goes by. It holds back what may be the
// beginning of something, and no more.
type masking struct {
	finders []finder
	refuse  func() error // instead of masks
	before  string       // the last character that passed, which decides whether a word begins
	held    string
	next    int // how much has to be held until it is looked at again
}

// rescan is the number of held bytes from which the next scan waits for a quarter more, so that a long match does not
// cost its square.
const rescan = 512

func (m *masking) push(piece string, last bool) (string, error) {
	if !last && len(m.held)+len(piece) < m.next {
		m.held += piece
		return "", nil
	}
	from := len(m.before)
	text := m.before + m.held + piece
	found := m.findSpans(text, from)
	cut := len(text)
	if !last {
		for _, f := range m.finders {
			cut = min(cut, f.holds(text))
		}
		for _, s := range slices.Backward(found) {
			if s.end > cut || s.end == len(text) { // it may continue
				cut = min(cut, s.start)
			}
		}
		if len(text)-cut > longest {
			cut = len(text)
		}
		for cut > from && cut < len(text) && !utf8.RuneStart(text[cut]) {
			cut--
		}
		cut = max(cut, from)
	}
	var done []span
	for _, s := range found {
		if s.end <= cut {
			done = append(done, s)
		}
	}
	if len(done) > 0 && m.refuse != nil {
		return "", m.refuse()
	}
	goesOn := masked(text[:cut], from, done)
	m.held, m.next = text[cut:], 0
	if len(m.held) > rescan {
		m.next = min(len(m.held)+len(m.held)/4, longest)
	}
	if cut > from {
		_, size := utf8.DecodeLastRuneInString(text[:cut])
		m.before = text[cut-size : cut]
	}
	return goesOn, nil
}

// findSpans returns the spans in the held text. A match that seems to begin earlier may have taken the beginning of the
// text for that of a word, or of the whole: then the rest is scanned by itself.
func (m *masking) findSpans(text string, from int) []span {
	all := spans(m.finders, text)
	n := 0
	for n < len(all) && all[n].start < from {
		n++
	}
	if n == 0 {
		return all
	}
	if all[n-1].end <= from {
		return all[n:]
	}
	rest := spans(m.finders, text[from:])
	for i := range rest {
		rest[i].start += from
		rest[i].end += from
	}
	return rest
}

// A Redactor masks what detectors find, in texts that are there as a whole: in logs, say. It is safe for concurrent
// use.
type Redactor struct{ finders []finder }

// NewRedactor returns a redactor for these detectors; without any, for all.
func NewRedactor(detectors ...Detector) *Redactor {
	if len(detectors) == 0 {
		detectors = Detectors()
	}
	return &Redactor{findersOf(detectors)}
}

// Redact returns text with each thing that was found replaced by the detector's name in brackets, such as [email].
func (r *Redactor) Redact(text string) string { return masked(text, 0, spans(r.finders, text)) }

// Attr is a function for slog.HandlerOptions.ReplaceAttr: texts and errors in log records are redacted.
func (r *Redactor) Attr(_ []string, a slog.Attr) slog.Attr {
	v := a.Value.Resolve()
	if err, ok := v.Any().(error); ok {
		a.Value = slog.StringValue(r.Redact(err.Error()))
	} else if v.Kind() == slog.KindString {
		a.Value = slog.StringValue(r.Redact(v.String()))
	}
	return a
}

func findersOf(detectors []Detector) []finder {
	var list []finder
	for _, d := range detectors {
		how, ok := detections[d]
		if !ok {
			continue
		}
		list = append(list, finder{"[" + string(d) + "]", how.find, how.begins})
	}
	return list
}
