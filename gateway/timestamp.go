package gateway

import "time"

// A timestamp is a time as answers show it: RFC 3339 in UTC, always with milliseconds, so that times sort as text.
type timestamp time.Time

// MarshalText is part of encoding.TextMarshaler.
func (t timestamp) MarshalText() ([]byte, error) {
	return time.Time(t).UTC().AppendFormat(nil, "2006-01-02T15:04:05.000Z"), nil
}

// IsZero makes omitzero leave out a time that has not come.
func (t timestamp) IsZero() bool { return time.Time(t).IsZero() }
