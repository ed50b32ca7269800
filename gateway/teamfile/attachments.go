package teamfile

import (
	"strconv"
	"strings"

	"github.com/agui-gateway/gateway/gateway"
)

// attachments reads which files an agent takes in messages. It returns nil if the file does not say.
func attachments(n *Value) *gateway.Attachments {
	if n == nil {
		return nil
	}
	f, on := n.switched("attachments", "")
	defer f.End()
	a := &gateway.Attachments{Off: !on}
	types := f.Take("types")
	for _, item := range types.itemsOf("types", "types names none; name one, remove the key, or write `attachments: "+
		"off`") {
		media := item.Text()
		if !gateway.ValidAttachmentType(media) {
			item.Bad("files of this type are not taken; write one such as image/png or application/pdf, " +
				"or a range such as image/*")
		}
		a.Types = append(a.Types, media)
	}
	a.MaxSize, a.MaxCount = f.Take("max_size").size(), f.Take("max_count").Count(1)
	return a
}

// size reads a number of bytes, such as 500KiB. It is 0 if v is absent.
func (v *Value) size() int64 {
	return parsed(v, "this is no size of a file; write one such as 500KiB or 2MiB", func(text string) (int64, bool) {
		factor := int64(1)
		if number, ok := strings.CutSuffix(text, "KiB"); ok {
			text, factor = number, 1<<10
		} else if number, ok := strings.CutSuffix(text, "MiB"); ok {
			text, factor = number, 1<<20
		}
		const most = 1 << 30
		size, err := strconv.ParseInt(text, 10, 64)
		return size * factor, err == nil && size > 0 && size <= most/factor
	})
}
