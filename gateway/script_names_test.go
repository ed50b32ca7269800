package gateway_test

import (
	"encoding/json"
	"fmt"
	"strings"
)

// learn names what the threads have that has no name yet.
func (s *script) learn() {
	threads := []string{"t"}
	for name, id := range s.ids {
		if strings.HasPrefix(name, "@") {
			threads = append(threads, id)
		}
	}
	for _, id := range threads {
		d := s.replicas[0].thread(id)
		for _, m := range d.Messages {
			raw, err := json.Marshal(m)
			if err != nil {
				s.t.Fatal(err)
			}
			s.said[s.name(string(m.Role)[:1], m.ID)] = string(raw)
			for _, c := range m.ToolCalls {
				s.ids[s.name("c", "call "+c.ID)] = c.ID // its message may have the same id
			}
		}
		for _, q := range d.Interrupts {
			s.name("q", q.ID)
		}
	}
}

// name returns the name of an id, a new one that begins with kind if it has none.
func (s *script) name(kind, id string) string {
	if name := s.names[id]; name != "" {
		return name
	}
	name := ""
	for name == "" || s.ids[name] != "" {
		s.count[kind]++
		name = fmt.Sprint(kind, s.count[kind])
	}
	s.ids[name], s.names[id] = id, name
	return name
}

// named puts names in the place of ids.
func (s *script) named(line string) string {
	words := strings.Fields(line)
	for i, word := range words {
		if name := s.names[word]; name != "" {
			words[i] = name
		}
	}
	return strings.Join(words, " ")
}

// id returns the id for a name; a new name is its own id.
func (s *script) id(name string) string {
	if id := s.ids[name]; id != "" {
		return id
	}
	s.ids[name], s.names[name] = name, name
	return name
}

func (s *script) threadOf(words []string) string {
	for _, word := range words {
		if strings.HasPrefix(word, "@") {
			if id := s.ids[word]; id != "" {
				return id
			}
			s.ids[word] = word[1:]
			return word[1:]
		}
	}
	return "t"
}
