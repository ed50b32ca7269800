// Package teams has example teams as files, for programs that write them: each folder has a team file and its golden
// conversations.
//
// Only the folders that `gateway init` writes are embedded. The READMEs and pictures of the folders are not.
package teams

import "embed"

// Files has the embedded files, by their paths below this directory: support/team.yaml, support/billing_test.yaml.
// Names of team files are team.yaml, and those of conversations end in _test.yaml.
//
//go:embed mcp/*.yaml panel/*.yaml research-desk/*.yaml support/*.yaml travel/*.yaml
var Files embed.FS
