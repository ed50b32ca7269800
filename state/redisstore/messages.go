package redisstore

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strconv"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/store"
)

// A messagePage is a part of a conversation.
type messagePage struct {
	tag     string // of the transition that wrote the thread
	rev     int64  // of the thread
	dropped int64  // the revision that removed the newest message of those that are not kept
	trimmed int64  // the end of the newest run that was trimmed
	list    []state.StoredMessage
	next    int // the slot where the next part begins; negative: there is none
}

// firstMessages is the most messages of the first part.
const firstMessages = 32

// readMessages reads a part of the present conversation, from a slot on upwards, or downwards.
func (s *backend) readMessages(ctx context.Context, h hashTag, from int, down bool, most int) (*messagePage, error) {
	a := args{s.clock(), from, most}
	var r reply
	var err error
	if from == 0 && !down { // few conversations have more than the first part
		a.add(firstBytes, "")
		a.slots(from, down, firstMessages)
		r, err = s.batch(ctx, messagesScript, h, a, firstBytes)
	} else {
		a.add(readBytes)
		a.flag(down)
		a.slots(from, down, most)
		r, err = s.run(ctx, messagesScript, h, a)
	}
	if err != nil {
		return nil, err
	}
	if r.text(0) == "" {
		return nil, state.ErrUnknownThread
	}
	page := &messagePage{tag: r.text(0), next: int(r.number(5))}
	for i, n := range []*int64{&page.rev, &page.dropped, &page.trimmed} {
		*n, _ = strconv.ParseInt(r.text(1+i), 10, 64) // empty: none
	}
	page.list, err = parseMessages(r.list(4))
	return page, err
}

// slots adds the names of n slots, from one on upwards, or downwards.
func (a *args) slots(from int, down bool, n int) {
	for ; n > 0 && from >= 0; n-- {
		a.add(strconv.Itoa(from))
		if down {
			from--
		} else {
			from++
		}
	}
}

func parseMessages(texts reply) ([]state.StoredMessage, error) {
	list := make([]state.StoredMessage, len(texts))
	for i := range texts {
		var err error
		if list[i], err = parseMessage(texts.text(i)); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// Messages returns the conversation at a revision; see [store.Backend]. It reads in parts, and fails with a
// conflict if the thread was written meanwhile.
func (s *backend) Messages(ctx context.Context, key state.Key, rev int64) (state.Conversation, error) {
	h := hashTagOf(key)
	var list []state.StoredMessage
	tag := ""
	var page *messagePage
	for next := 0; next >= 0; next = page.next {
		var err error
		if page, err = s.readMessages(ctx, h, next, false, readBatch); err != nil {
			return nil, err
		}
		if tag == "" {
			tag = page.tag
		}
		if page.tag != tag {
			return nil, store.ErrConflict
		}
		list = append(list, page.list...)
	}
	if rev < 0 || rev >= page.rev {
		return state.NewConversation(list), nil
	}
	if rev < page.dropped && rev <= page.trimmed {
		return nil, state.ErrRevision
	}
	old, now, err := s.replacedAfter(ctx, h, rev)
	if err != nil {
		return nil, err
	}
	if now != tag {
		return nil, store.ErrConflict
	}
	list = slices.DeleteFunc(append(list, old...), func(m state.StoredMessage) bool { return m.Added > rev })
	slices.SortFunc(list, func(a, b state.StoredMessage) int { return cmp.Compare(a.Slot, b.Slot) })
	return state.NewConversation(list), nil
}

// replacedAfter reads the versions of messages that were replaced after a revision, and the tag of the thread. A
// slot may have several: the first is that of the revision.
func (s *backend) replacedAfter(ctx context.Context, h hashTag, rev int64) ([]state.StoredMessage, string, error) {
	var list []state.StoredMessage
	taken := map[int]bool{}
	from := strconv.FormatInt(rev+1, 10)
	for {
		r, err := s.run(ctx, replacedScript, h, args{s.clock(), from, readBatch, readBytes})
		if err != nil {
			return nil, "", err
		}
		if r.text(0) == "" {
			return nil, "", state.ErrUnknownThread
		}
		page, err := parseMessages(r.list(1))
		if err != nil {
			return nil, "", err
		}
		for _, m := range page {
			if m.Added <= rev && !taken[m.Slot] {
				taken[m.Slot] = true
				list = append(list, m)
			}
		}
		if from = r.text(2); from == "" {
			return list, r.text(0), nil
		}
	}
}

// fewMessages is the number of messages that a search from the end reads first.
const fewMessages = 16

// Messages yields the conversation, the last message first.
func (f *facts) Messages() iter.Seq[state.StoredMessage] {
	return func(yield func(state.StoredMessage) bool) {
		if f.none {
			return
		}
		for next, n := f.slots-1, fewMessages; next >= 0; n = readBatch {
			page, err := f.backend.readMessages(f.ctx, hashTagOf(f.key), next, true, n)
			if err != nil {
				f.fail(err)
				return
			}
			if f.still(page.tag); f.err != nil {
				return
			}
			for _, m := range page.list {
				if !yield(m) {
					return
				}
			}
			next = page.next
		}
	}
}
