package teamtest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The recipes for users of other frameworks, and the pages that show them.
const (
	recipes     = "../../../examples/coming-from"
	recipePages = "../../../docs/coming-from/*.md"
)

// recipeBlock matches a block of a page that shows a file of a recipe.
var recipeBlock = regexp.MustCompile("(?s)<!-- examples/coming-from/([a-z/.-]+) -->\n```(?:yaml|go)\n(.*?)```\n")

// TestRecipes plays the golden conversations of the recipes. Each team has at least one.
func TestRecipes(t *testing.T) {
	t.Parallel()
	teams, err := filepath.Glob(filepath.Join(recipes, "*", "team.yaml"))
	if err != nil || len(teams) == 0 {
		t.Fatalf("%d teams, %v", len(teams), err)
	}
	played := report(t, recipes, Options{})
	for line := range strings.Lines(played) {
		if !strings.HasPrefix(line, "ok ") {
			t.Fatalf("the recipes come to\n%s", played)
		}
	}
	for _, team := range teams {
		if dir := filepath.Base(filepath.Dir(team)); !strings.Contains(played, " "+dir+string(filepath.Separator)) {
			t.Errorf("the recipe %s has no conversation", dir)
		}
	}
}

// TestRecipesAreShown compares the blocks of the pages with the files of the recipes. A block has the whole file, except
// the line for editors. Every recipe is on a page.
func TestRecipesAreShown(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob(recipePages)
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]bool{}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		if blocks := strings.Count(string(text), "```") / 2; blocks != len(recipeBlock.FindAllSubmatch(text, -1)) {
			t.Errorf("%s has %d blocks, and not all of them are files of recipes", page, blocks)
		}
		for _, block := range recipeBlock.FindAllSubmatch(text, -1) {
			name := string(block[1])
			file, err := os.ReadFile(filepath.Join(recipes, filepath.FromSlash(name)))
			if err != nil {
				t.Error(err)
				continue
			}
			want := string(file)
			if first, rest, ok := strings.Cut(want, "\n"); ok && strings.HasPrefix(first, "# yaml-language-server:") {
				want = rest
			}
			if string(block[2]) != want {
				t.Errorf("%s shows %s differently:\n%s", page, name, block[2])
			}
			shown[filepath.Dir(name)] = true
		}
	}
	dirs, err := filepath.Glob(filepath.Join(recipes, "*", "*"))
	if err != nil || len(dirs) == 0 {
		t.Fatalf("%d files, %v", len(dirs), err)
	}
	for _, file := range dirs {
		if dir := filepath.Base(filepath.Dir(file)); !shown[dir] {
			t.Errorf("no page shows the recipe %s", dir)
		}
	}
}
