package gateway

import (
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway/internal/attachment"
)

// Attachments selects the files that an agent accepts in messages. [Limits] are upper bounds; zero fields mean these.
type Attachments struct {
	Off      bool     // none
	Types    []string // media types, or ranges such as image/*; see [ValidAttachmentType]
	MaxSize  int64    // bytes of one file
	MaxCount int      // files of one message
}

// ValidAttachmentType reports whether s is a media type of files that can be taken, or a range that has some.
func ValidAttachmentType(s string) bool { return attachment.ValidType(s) }

// attachments are the files that the agent takes.
func (s *servedAgent) attachments(l Limits) attachment.Limits {
	takes := attachment.Limits{Size: l.File, Count: l.Files}
	a := s.Attachments
	switch {
	case a == nil:
		return takes
	case a.Off:
		takes.Count = -1
		return takes
	}
	takes.Types = a.Types
	if a.MaxSize > 0 && (takes.Size <= 0 || a.MaxSize < takes.Size) {
		takes.Size = a.MaxSize
	}
	if a.MaxCount > 0 && (takes.Count <= 0 || a.MaxCount < takes.Count) {
		takes.Count = a.MaxCount
	}
	return takes
}

// An attachmentsDocument describes to pages which files an agent accepts.
type attachmentsDocument struct {
	Types    []string `json:"types"`
	MaxSize  int64    `json:"maxSize,omitempty"`
	MaxCount int      `json:"maxCount,omitempty"`
}

// attachmentsDocument describes the files that the agent accepts; nil if its author has configured none.
func (s *servedAgent) attachmentsDocument(l Limits) *attachmentsDocument {
	if s.Attachments == nil || s.Attachments.Off {
		return nil
	}
	takes := s.attachments(l)
	d := &attachmentsDocument{Types: takes.Types, MaxSize: takes.Size, MaxCount: takes.Count}
	if len(d.Types) == 0 {
		d.Types = []string{"*/*"}
	}
	return d
}

// multimodal returns which kinds of files the agent accepts, or nil if that is not configured.
func (s *servedAgent) multimodal() *agui.MultimodalCapabilities {
	if s.Attachments == nil {
		return nil
	}
	takes := func(family string, media ...string) *bool {
		yes := !s.Attachments.Off && (len(s.Attachments.Types) == 0 ||
			slices.ContainsFunc(s.Attachments.Types, func(t string) bool {
				return t == "*/*" || family != "" && strings.HasPrefix(t, family+"/") || slices.Contains(media, t)
			}))
		return &yes
	}
	other := !s.Attachments.Off &&
		(len(s.Attachments.Types) == 0 || slices.ContainsFunc(s.Attachments.Types, func(t string) bool {
			return t == "*/*" || strings.HasPrefix(t, "text/") || strings.HasPrefix(t, "application/") &&
				t != "application/pdf"
		}))
	return &agui.MultimodalCapabilities{Input: &agui.MultimodalInput{
		Image: takes("image"), Audio: takes("audio"), Video: takes("video"),
		PDF: takes("", "application/pdf", "application/*"), File: &other,
	}}
}
