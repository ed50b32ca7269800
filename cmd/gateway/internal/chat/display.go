package chat

// A dialogue shows blocks to a person at a terminal: the speaker, reasoning dimmed, and one line for anything else.
type dialogue struct{ screen *screen }

func (s *session) display() display { return &dialogue{s.screen} }

func (d *dialogue) begin(b *block) {
	switch b.kind {
	case textBlock:
		d.screen.fresh()
		d.screen.text(b.by+": ", speech)
	case thought:
		d.screen.fresh()
		d.screen.text(b.by+" thinks: ", dim)
	case noted: // is shown when it is complete
	}
}

func (d *dialogue) write(b *block, text string) {
	switch b.kind {
	case textBlock:
		d.screen.text(text, plain)
	case thought:
		d.screen.text(text, dim)
	case noted:
		d.screen.line("  "+text, dim)
	}
}

func (d *dialogue) end(*block) { d.screen.fresh() }

// An output has only the agents' texts, for programs.
type output struct{ screen *screen }

func (o *output) begin(b *block) {
	if b.kind == textBlock {
		o.screen.fresh()
	}
}

func (o *output) write(b *block, text string) {
	if b.kind == textBlock {
		o.screen.text(text, plain)
	}
}

func (o *output) end(b *block) {
	if b.kind == textBlock {
		o.screen.fresh()
	}
}
