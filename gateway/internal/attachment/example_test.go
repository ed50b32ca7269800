package attachment_test

import (
	"fmt"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway/internal/attachment"
)

// A script that is called a picture is not admitted.
func Example() {
	picture := agui.Part{Type: agui.PartImage, Source: &agui.Source{Type: agui.SourceData, MimeType: "image/png", Value: "YWxlcnQoMSk="}}
	_, err := attachment.Limits{}.Admit(agui.Message{ID: "u1", Role: agui.RoleUser, Content: agui.PartsContent(picture)}, nil)
	fmt.Println(err)
	// Output: content[0] is not of the type that it declares
}
