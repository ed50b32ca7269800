package teamfile

import (
	"strconv"
	"strings"

	"github.com/agui-gateway/gateway/gateway"
)

// attachments reads which files an agent takes in messages. Nil means that the file does not say.
func (b *builder) attachments(n *node) *gateway.Attachments {
	if n == nil {
		return nil
	}
	if n.kind != mappingNode {
		on := b.flag(n)
		return &gateway.Attachments{Off: on == nil || !*on}
	}
	f := b.fields(n, "attachments")
	defer f.end()
	a := &gateway.Attachments{}
	types := f.take("types")
	for _, item := range b.list(types, "types") {
		media := b.text(item)
		if item.kind == scalarNode && !gateway.ValidAttachmentType(media) {
			b.bad(item, "files of this type are not taken; write one such as image/png or application/pdf, or a range such as image/*")
		}
		a.Types = append(a.Types, media)
	}
	if types != nil && types.kind == listNode && len(a.Types) == 0 {
		b.bad(types, "types names none; name one, remove the key, or write `attachments: off`")
	}
	a.MaxSize, a.MaxCount = b.size(f.take("max_size")), b.count(f.take("max_count"), 1)
	return a
}

// size reads a number of bytes, such as 500KiB. It is 0 if n is nil.
func (b *builder) size(n *node) int64 {
	if n == nil {
		return 0
	}
	text := b.text(n)
	factor := int64(1)
	for _, unit := range []struct {
		name   string
		factor int64
	}{{"KiB", 1 << 10}, {"MiB", 1 << 20}} {
		if number, ok := strings.CutSuffix(text, unit.name); ok {
			text, factor = number, unit.factor
			break
		}
	}
	const most = 1 << 30
	size, err := strconv.ParseInt(text, 10, 64)
	if n.kind == scalarNode && (err != nil || size <= 0 || size > most/factor) {
		b.bad(n, "this is no size of a file; write one such as 500KiB or 2MiB")
		return 0
	}
	return size * factor
}
