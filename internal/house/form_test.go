package house

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTheExampleHasThePagesForm wants the form of web/src/form in examples/copilotkit-react, where people copy it from,
// as the page has it. It is a copy because neither folder is built with the other: the image has no examples, and the
// example stands by itself.
func TestTheExampleHasThePagesForm(t *testing.T) {
	t.Parallel()
	page, example := formFiles(t, "web/src/form"), formFiles(t, "examples/copilotkit-react/src/form")
	for name, text := range page {
		if example[name] != text {
			t.Errorf("examples/copilotkit-react/src/form/%s differs from web/src/form/%[1]s: copy it", name)
		}
	}
	for name := range example {
		if _, ok := page[name]; !ok {
			t.Errorf("examples/copilotkit-react/src/form/%s is not in web/src/form: remove it", name)
		}
	}
	versions := func(dir string) string {
		text, err := os.ReadFile(filepath.Join(root, dir, "package.json"))
		if err != nil {
			t.Fatal(err)
		}
		var found []string
		for line := range strings.Lines(string(text)) {
			for _, name := range []string{"@rjsf/core", "@rjsf/utils", "@cfworker/json-schema", "jsonc-parser"} {
				if strings.Contains(line, `"`+name+`"`) {
					found = append(found, strings.Trim(line, " ,\n"))
				}
			}
		}
		return strings.Join(found, "\n")
	}
	if in, of := versions("examples/copilotkit-react"), versions("web"); in != of || of == "" {
		t.Errorf("the example's form has the libraries\n%s\nand the page's\n%s", in, of)
	}
}

// formFiles are the files of a folder by their names, without tests.
func formFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(root, dir))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, entry := range entries {
		if strings.Contains(entry.Name(), ".test.") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, dir, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[entry.Name()] = string(text)
	}
	if len(files) == 0 {
		t.Fatalf("%s is empty", dir)
	}
	return files
}
