package history

import (
	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/model"
)

// Estimates of the parts of a request.
const (
	bytesPerToken    = 3
	tokensPerMessage = 4
	tokensPerMedium  = 1000
)

func tokensOf(text string) int { return (len(text) + bytesPerToken - 1) / bytesPerToken }

// messageTokens estimates how many tokens a message is. Of media it is not the bytes that count.
func messageTokens(m *model.Message) int {
	n := tokensPerMessage + tokensOf(m.Text) + tokensOf(m.Reasoning)
	for _, c := range m.Calls {
		n += tokensPerMessage + tokensOf(c.Name) + tokensOf(c.Arguments)
	}
	for _, p := range m.Parts {
		if p.Type != agui.PartText {
			n += tokensPerMedium
		}
	}
	return n
}

// requestTokens estimates how many tokens a request is.
func requestTokens(r *model.Request) int {
	n := tokensOf(string(r.Schema))
	for _, t := range r.Tools {
		n += tokensPerMessage + tokensOf(t.Name) + tokensOf(t.Description) + tokensOf(string(t.Parameters))
	}
	for i := range r.Messages {
		n += messageTokens(&r.Messages[i])
	}
	return n
}

// ratio is how many tokens an estimated one is: as the history's function says, or the server has shown.
func (s *Shortener) ratio(r *model.Request) float64 {
	if s.h.Count != nil {
		return min(max(float64(s.h.Count(*r))/float64(max(requestTokens(r), 1)), leastRatio), mostRatio)
	}
	if s.note.Ratio > 0 {
		return s.note.Ratio
	}
	return 1
}

// limit is how long a request may be, in estimated tokens; 0 means that there is none.
func (s *Shortener) limit(r *model.Request) int {
	limit := s.note.Limit
	if s.h.Tokens > 0 {
		estimate := max(int(float64(s.h.Tokens)/s.ratio(r)), 1)
		if limit == 0 || estimate < limit {
			limit = estimate
		}
	}
	return limit
}

// The limits of the correction of estimates: ratios beyond say nothing of the text.
const (
	leastRatio, mostRatio = 0.25, 4
	ratioMoves            = 0.1 // a smaller difference is not noted
)

// correct learns from what a server says about how long a request was.
func (s *Shortener) correct(r *model.Request, used agui.TokenUsage) {
	if s.h.Count != nil || s.h.Tokens == 0 || used.InputTokens == nil || *used.InputTokens <= 0 {
		return
	}
	ratio := min(max(float64(*used.InputTokens)/float64(max(requestTokens(r), 1)), leastRatio), mostRatio)
	was := s.note.Ratio
	if was == 0 {
		was = 1
	}
	if ratio < was*(1-ratioMoves) || ratio > was*(1+ratioMoves) {
		s.note.Ratio = ratio
	}
}
