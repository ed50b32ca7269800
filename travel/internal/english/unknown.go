package english

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agui-gateway/gateway/travel/internal/catalogue"
)

// findUnknown searches after "to", "in", "from" and "about" for an unknown name, or a sight, which implies the city.
func findUnknown(words []word, found []mention, r *route) {
	capitals := allCapitals(words)
	taken := make([]bool, len(words))
	for _, m := range found {
		for i := m.from; i < m.to; i++ {
			taken[i] = true
		}
	}
	for i := range words {
		if !placeCues[words[i].key] {
			continue
		}
		start := i + 1
		for start < len(words) && fillers[words[start].key] && !words[start].ended {
			start++
		}
		if start == len(words) || words[start].ended || taken[start] {
			continue
		}
		end := capitalised(words, taken, start)
		if capitals || end == start {
			// Without capitals, a plain word counts as a place only after a word such as "trip".
			start = i + 1
			end = plainName(words, taken, i)
		}
		if end > start {
			r.place(words, i, start, end)
		}
	}
}

// place records words[start:end], the name after the cue at words[at]. With a known destination only an unknown origin
// counts.
func (r *route) place(words []word, at, start, end int) {
	key := words[at].key
	r.about = r.about || aboutWords[key]
	city, known := builtin().sight(joinKeys(words[start:end]))
	if known {
		if r.sight == nil && key != "from" {
			r.sight = city
		}
		return
	}
	if key == "to" && r.origin == nil && r.weakUntil > 0 && r.weakUntil == at {
		r.origin, r.destination, r.weakUntil = r.destination, nil, 0 // "Paris to Atlantis"
	}
	if r.unknown == "" && (r.destination == nil || key == "from") {
		r.unknown = spell(words[start:end])
	}
}

// sight reports whether key is in the name of a sight, in whole words, and returns its only city.
func (x *index) sight(key string) (city *catalogue.City, known bool) {
	if city, ok := x.sights[key]; ok {
		return city, true
	}
	if _, ok := x.offered[key]; ok {
		return nil, true
	}
	for name := range x.offers {
		if strings.Contains(" "+name+" ", " "+key+" ") {
			return nil, true
		}
	}
	return nil, false
}

// capitalised returns the end of the capitalised name, perhaps with small words, at start, or start.
func capitalised(words []word, taken []bool, start int) int {
	end := start
	for i := start; i < len(words); i++ {
		w := words[i]
		if taken[i] || i > start && w.ended {
			break
		}
		if i > start && particles[w.key] {
			continue
		}
		if i == start && w.upper && nameStarts[w.key] && i+1 < len(words) && !words[i+1].ended {
			continue // "New Orleans", but not "New"
		}
		if !w.upper || ordinary[w.key] {
			break
		}
		end = i + 1
	}
	return end
}

// plainName returns the end of a name of one or two words without capitals after the cue at words[at]; at+1 if there is
// none. It requires more than capitals do: a word such as "trip" before the cue, no common word in the name, and the
// end of the clause or a word such as "for" after it.
func plainName(words []word, taken []bool, at int) int {
	none := at + 1
	if at == 0 || !placeHeads[words[at-1].key] || words[at].ended {
		return none
	}
	for i := at + 1; i < len(words) && i <= at+3; i++ {
		w := words[i]
		if i > at+1 && (w.ended || afterPlace[w.key] || unicode.IsDigit([]rune(w.key)[0])) {
			return i
		}
		if i == at+3 || taken[i] || w.ended || ordinary[w.key] || fillers[w.key] || utf8.RuneCountInString(w.key) < 3 {
			return none
		}
	}
	return min(len(words), at+3)
}

// spell returns the traveller's spelling, capitalised if it has no capitals or only capitals.
func spell(words []word) string {
	parts := make([]string, len(words))
	for i, w := range words {
		parts[i] = w.text
		runes := []rune(w.text)
		switch {
		case particles[w.key]:
			parts[i] = w.text
		case !w.upper || len(words) == 1 && len(runes) > 4 && strings.ToUpper(w.text) == w.text:
			parts[i] = string(unicode.ToTitle(runes[0])) + strings.ToLower(string(runes[1:]))
		}
	}
	return strings.Join(parts, " ")
}
