package profile_test

import (
	"fmt"

	"github.com/agui-gateway/gateway/groupchat/profile"
)

// A team includes the members of its teams.
func ExampleInfo_Includes() {
	team := profile.Info{Name: "desk", Participants: []profile.Info{
		{Name: "research", Participants: []profile.Info{{Name: "librarian"}}},
	}}
	fmt.Println(team.Includes("librarian"), team.Includes("desk"))
	// Output: true false
}
