package english

import (
	"strings"

	"github.com/agui-gateway/gateway/travel/internal/catalogue"
)

type route struct {
	origin, destination *catalogue.City
	unknown             string
	sight               *catalogue.City // the city of a landmark or a district that was named
	about               bool            // a place follows "about" or a similar word
	weakUntil           int             // the end of the name if the destination was named without a hint, else 0
}

// A mention is a city's name at words[from:to].
type mention struct {
	city     *catalogue.City
	from, to int
	role     role
}

type role int

const (
	roleNone    role = iota // named without a hint: a destination if there is no better
	roleOrigin              // "from Berlin"
	roleTarget              // "to Berlin"
	roleExclude             // "not Berlin", "instead of Berlin"
)

func findRoute(words []word, msg sentence) route {
	found := mentions(words)
	for i := range found {
		found[i].role = roleOf(words, found, i)
	}
	var r route
	for _, m := range found {
		switch {
		case m.role == roleOrigin && r.origin == nil:
			r.origin = m.city
		case m.role == roleTarget && r.destination == nil:
			r.destination = m.city
		}
		r.about = r.about || aboutWords[cue(words, m.from)]
	}
	for _, m := range found {
		if m.role == roleNone && r.destination == nil {
			r.destination, r.weakUntil = m.city, m.to
		}
	}
	findUnknown(words, found, &r)
	// In "I'm in Paris, find me a hotel" the hotel is wanted where the traveller is.
	topic := findTopic(msg)
	if r.destination == nil && r.unknown == "" && (topic == Hotels || topic == Experiences) {
		r.origin, r.destination = nil, r.origin
	}
	return r
}

// mentions finds the cities. Where several names fit, the longest counts.
func mentions(words []word) []mention {
	x := builtin()
	capitals := allCapitals(words)
	var found []mention
	for i := 0; i < len(words); i++ {
		for n := min(x.words, len(words)-i); n > 0; n-- {
			city := x.names[joinKeys(words[i:i+n])]
			// A code counts only in capitals, so that "a gig" is not in Rio (GIG).
			if w := words[i]; city == nil && n == 1 && (!capitals || !ordinary[w.key]) {
				city = x.codes[w.text]
			}
			if city == nil || hasPunctuation(words[i:i+n]) {
				continue
			}
			found = append(found, mention{city: city, from: i, to: i + n})
			i += n - 1
			break
		}
	}
	return found
}

func joinKeys(words []word) string {
	keys := make([]string, len(words))
	for i, w := range words {
		keys[i] = w.key
	}
	return strings.Join(keys, " ")
}

// hasPunctuation reports whether there is punctuation between the words.
func hasPunctuation(words []word) bool {
	for _, w := range words[1:] {
		if w.ended {
			return true
		}
	}
	return false
}

// cueAt returns the index of the word for the role of words[at:], skipping "the beautiful city of"; or -1.
func cueAt(words []word, at int) int {
	at--
	for at >= 0 && fillers[words[at].key] {
		at--
	}
	return at
}

func cue(words []word, at int) string {
	if i := cueAt(words, at); i >= 0 {
		return words[i].key
	}
	return ""
}

func roleOf(words []word, found []mention, i int) role {
	m := found[i]
	at := cueAt(words, m.from)
	ended := words[m.from].ended
	if at < 0 {
		return betweenRole(words, found, i)
	}
	key, before := words[at].key, newSentence(words[max(0, at-4):at])
	switch {
	case originLabels[key]:
		if before.has("change", "switch", "moved", "move") && !before.has("flight", "flights", "trip") {
			return roleExclude
		}
		return roleOrigin
	case ended:
		return betweenRole(words, found, i)
	case excluding[key] && (key != "not" || !before.ends("why")):
		return roleExclude
	case (toward[key] || key == "in") && at > 0 && words[at-1].key == "not":
		return roleExclude
	case key == "in" && before.ends(residing...):
		return roleOrigin
	case key == "to" && i > 0 && found[i-1].to == at:
		return roleTarget
	case key == "to" && before.has("origin", "departure"):
		return roleOrigin
	case key == "between" && i+1 < len(found):
		return roleOrigin
	case toward[key]:
		return roleTarget
	}
	return betweenRole(words, found, i)
}

// betweenRole makes an origin of the first of "Berlin to Lisbon" and "Berlin–Lisbon".
func betweenRole(words []word, found []mention, i int) role {
	if i+1 == len(found) {
		return roleNone
	}
	to, next := found[i].to, found[i+1].from
	if next == to && words[to].dash || next == to+1 && words[to].key == "to" && !words[to].ended {
		return roleOrigin
	}
	return roleNone
}
