package teamfile

import "github.com/agui-gateway/gateway/groupchat"

// mostToolRetries is the most further tries of a call.
const mostToolRetries = 10

// toolRetry reads how often calls that came to no answer are made again.
func (b *builder) toolRetry(f *fields) groupchat.ToolRetry {
	times, backoff := f.take("retries"), f.take("backoff")
	r := groupchat.ToolRetry{Times: b.count(times, 0), Backoff: b.duration(backoff)}
	switch {
	case r.Times > mostToolRetries:
		b.bad(times, "more than %d retries; write fewer", mostToolRetries)
	case backoff != nil && times == nil:
		b.bad(backoff, "backoff is the wait before a retry, and there is none; add `retries: 2`")
	}
	return r
}
