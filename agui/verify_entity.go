package agui

// An entity is a text message, a tool call, a reasoning message or span, or an activity of the current run.
type entity struct {
	owner string // the subagent it belongs to; empty is the parent agent
	open  openness
}

// openness says what of an entity is open. A reasoning span and the message inside it may share an id and always
// share the owner, so they share the entity; everything else is a message.
type openness uint8

const (
	openMessage openness = 1 << iota
	openSpan
)

// entities are those of one kind, by id.
type entities struct {
	byID     map[string]entity
	messages int // how many are open
	spans    int
}

// count returns the number of what is open.
func (s *entities) count(what openness) *int {
	if what == openSpan {
		return &s.spans
	}
	return &s.messages
}

func (s *entities) has(id string) bool {
	_, ok := s.byID[id]
	return ok
}

func (s *entities) put(id string, e entity) {
	if s.byID == nil {
		s.byID = make(map[string]entity)
	}
	s.byID[id] = e
}

// start opens id. The first opener owns it for the run: a later one may be untagged but not another's.
func (s *entities) start(what openness, kind, id, tag string) *OrderError {
	e, known := s.byID[id]
	if e.open&what != 0 {
		return &OrderError{Rule: RuleAlreadyOpen, Kind: kind, ID: id}
	}
	if !known {
		e.owner = tag
	}
	if !agrees(tag, e.owner) {
		return &OrderError{Rule: RuleOwner, Kind: kind, ID: id}
	}
	e.open |= what
	s.put(id, e)
	*s.count(what)++
	return nil
}

// check holds a continuation of id against its opener.
func (s *entities) check(what openness, kind, id, tag string) *OrderError {
	e := s.byID[id]
	if e.open&what == 0 {
		return &OrderError{Rule: RuleNotOpen, Kind: kind, ID: id}
	}
	if !agrees(tag, e.owner) {
		return &OrderError{Rule: RuleOwner, Kind: kind, ID: id}
	}
	return nil
}

// end closes id and keeps its owner.
func (s *entities) end(what openness, kind, id, tag string) *OrderError {
	if err := s.check(what, kind, id, tag); err != nil {
		return err
	}
	e := s.byID[id]
	e.open &^= what
	s.byID[id] = e
	*s.count(what)--
	return nil
}

// agree holds an event that continues id, whether open or not, against its owner. Nobody owns an unseen id.
func (s *entities) agree(kind, id, tag string) *OrderError {
	if e, ok := s.byID[id]; ok && !agrees(tag, e.owner) {
		return &OrderError{Rule: RuleOwner, Kind: kind, ID: id}
	}
	return nil
}

// own gives id to owner, whoever had it, and leaves it as open as it is.
func (s *entities) own(id, owner string) {
	e := s.byID[id]
	e.owner = owner
	s.put(id, e)
}

// claim gives id to owner unless it has one.
func (s *entities) claim(id, owner string) {
	if !s.has(id) {
		s.put(id, entity{owner: owner})
	}
}

// firstOpen returns the least id that is open, to name one in an error.
func (s *entities) firstOpen(what openness) string {
	return leastID(func(yield func(string) bool) {
		for id, e := range s.byID {
			if e.open&what != 0 && !yield(id) {
				return
			}
		}
	})
}

func (s *entities) reset() {
	clear(s.byID)
	s.messages, s.spans = 0, 0
}

// agrees reports whether a tag may continue what owner opened: an absent tag always may.
func agrees(tag, owner string) bool { return tag == "" || tag == owner }
