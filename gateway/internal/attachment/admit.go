package attachment

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/internal/egress"
)

// Limits selects the files that a message may have. The zero value admits every file of a known type.
type Limits struct {
	Size  int64 // bytes of one file; 0 is any number
	Count int   // files of one message; 0 is any number, negative is none
	// Types, if not empty, are the allowed types: media types, or ranges such as image/*.
	Types []string
	// Allowed are the addresses that URLs may have although they are not of the internet.
	Allowed []netip.Prefix
}

// ErrTooLarge is in the error of a file, or a message's files, of which there is too much.
var ErrTooLarge = errors.New("attachment: too large")

// An Error is a problem with the files of a message. It contains no part of a file.
type Error struct {
	Part    int // the part's index, from 0
	Problem string
	Err     error // [ErrTooLarge], or nil
}

// Error returns the problem and its position.
func (e *Error) Error() string { return fmt.Sprintf("content[%d] %s", e.Part, e.Problem) }

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// Admit returns the message with normalised files: inline data as plain base64, even if it came as a data: URL. The
// error is an [*Error] about the first file that is refused. link may be nil; it returns the source of a gateway path.
func (l Limits) Admit(m agui.Message, link func(path *url.URL) (agui.Source, bool)) (agui.Message, error) {
	parts, ok := m.Content.Parts()
	if !ok {
		return m, nil
	}
	count := 0
	admitted := slices.Clone(parts)
	for i := range admitted {
		if admitted[i].Source == nil {
			continue
		}
		if count++; l.Count < 0 {
			return m, &Error{Part: i, Problem: "is a file, and this agent takes none"}
		} else if l.Count > 0 && count > l.Count {
			return m, &Error{Part: i, Problem: fmt.Sprintf("is one file too many: a message may have %d", l.Count),
				Err: ErrTooLarge}
		}
		source, fault := l.source(admitted[i], link)
		if fault != nil {
			fault.Part = i
			return m, fault
		}
		admitted[i].Source = &source
	}
	if count > 0 {
		m.Content = agui.PartsContent(admitted...)
	}
	return m, nil
}

// source checks the source of a part's file.
func (l Limits) source(p agui.Part, link func(*url.URL) (agui.Source, bool)) (agui.Source, *Error) {
	s := *p.Source
	if s.Type == agui.SourceFile {
		return s, nil // a provider's handle has no meaning here
	}
	if strings.HasPrefix(s.Value, "data:") {
		var ok bool
		if s, ok = inline(s); !ok {
			return s, &Error{Problem: "is a data: URL without base64"}
		}
	}
	if s.Type == agui.SourceData {
		return s, l.data(p.Type, s)
	}
	u, problem := egress.CheckFileURL(s.Value, l.Allowed...)
	if u != nil && u.Scheme == "" && u.Host == "" && link != nil {
		stored, ok := link(u)
		if !ok {
			return s, &Error{Problem: "is a link to no file of this thread"}
		}
		return stored, nil
	}
	if problem != "" {
		return s, &Error{Problem: problem}
	}
	return s, l.checkDeclared(p.Type, s)
}

// inline decodes a source with a data: URL.
func inline(s agui.Source) (agui.Source, bool) {
	head, data, ok := strings.Cut(strings.TrimPrefix(s.Value, "data:"), ",")
	media, encoded := strings.CutSuffix(head, ";base64")
	if !ok || !encoded {
		return s, false
	}
	if s.MimeType == "" || s.Type == agui.SourceURL {
		s.MimeType = media
	}
	s.Type, s.Value = agui.SourceData, data
	return s, true
}

// data checks a file that is in the message.
func (l Limits) data(kind agui.PartType, s agui.Source) *Error {
	if l.Size > 0 && int64(base64.StdEncoding.DecodedLen(len(s.Value)))-2 > l.Size {
		return l.large()
	}
	if fault := l.checkDeclared(kind, s); fault != nil {
		return fault
	}
	f, _ := formatOf(Type(s.MimeType))
	data, err := base64.StdEncoding.Strict().DecodeString(s.Value)
	switch {
	case err != nil:
		return &Error{Problem: "is not base64, or is cut off"}
	case l.Size > 0 && int64(len(data)) > l.Size:
		return l.large()
	case !f.matches(data):
		return &Error{Problem: "is not of the type that it declares"}
	}
	return nil
}

func (l Limits) large() *Error {
	return &Error{Problem: fmt.Sprintf("is larger than a file may be: %d bytes", l.Size), Err: ErrTooLarge}
}

// checkDeclared checks the type that a file declares. A URL may declare none; it is not fetched.
func (l Limits) checkDeclared(kind agui.PartType, s agui.Source) *Error {
	media := Type(s.MimeType)
	if s.Type == agui.SourceURL && s.MimeType == "" {
		return nil
	}
	family, _, _ := strings.Cut(media, "/")
	switch _, known := formatOf(media); {
	case !known:
		return &Error{Problem: "has a type that is not allowed"}
	case kind != agui.PartDocument && family != string(kind):
		return &Error{Problem: "has a type that is none of an " + string(kind) + " part"}
	case len(l.Types) > 0 && !slices.ContainsFunc(l.Types, func(allowed string) bool { return within(media, allowed) }):
		return &Error{Problem: "has a type that this agent does not take"}
	}
	return nil
}

// within reports whether media is in a range of types, such as image/*, */* or a type.
func within(media, allowed string) bool {
	family, any := strings.CutSuffix(allowed, "/*")
	return allowed == media || any && (family == "*" || strings.HasPrefix(media, family+"/"))
}
