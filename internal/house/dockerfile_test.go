package house

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// An instruction is one of a Dockerfile's, its continued lines joined.
type instruction struct {
	line int // of its first line
	word string
	args string
}

// knownWords are the instructions a Dockerfile of ours may have; the retired MAINTAINER is not among them, and ADD fetches and
// unpacks where COPY only copies.
var knownWords = []string{"ARG", "CMD", "COPY", "ENTRYPOINT", "ENV", "EXPOSE", "FROM", "HEALTHCHECK", "LABEL", "RUN", "USER", "WORKDIR"}

// TestDockerfile states what the image promises. Where no Docker daemon runs the image cannot be built, so its recipe is
// judged as text: that is all this test is able to see.
func TestDockerfile(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root, "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	gomod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range checkDockerfile(string(text), string(gomod)) {
		t.Error(problem)
	}
}

const goodDockerfile = `FROM golang:1.26.8 AS build
RUN go mod download && \
    # a comment between continued lines is dropped
    CGO_ENABLED=0 go build -trimpath ./cmd/gateway
FROM scratch
COPY --from=build /out/gateway /gateway
ENV GATEWAY_ADDR=0.0.0.0:8080
EXPOSE 8080
USER 65532:65532
HEALTHCHECK CMD ["/gateway", "healthcheck"]
ENTRYPOINT ["/gateway"]
`

func TestCheckDockerfile(t *testing.T) {
	t.Parallel()
	const gomod = "module m\n\ngo 1.26.0\n"
	tests := []struct{ name, old, new, want string }{
		{"as it should be", "", "", ""},
		{"typing error", "EXPOSE", "EXPOSES", "EXPOSES is no instruction"},
		{"no argument", "EXPOSE 8080", "EXPOSE", "EXPOSE has no argument"},
		{"wrong port", "EXPOSE 8080", "EXPOSE 80", "EXPOSE"},
		{"root", "USER 65532:65532", "USER 0:0", "USER"},
		{"named user", "USER 65532:65532", "USER nobody", "USER"},
		{"user of another stage", "USER 65532:65532\n", "", "USER"},
		{"shell form", `["/gateway"]`, "/gateway", "ENTRYPOINT"},
		{"probe needs a shell", `CMD ["/gateway", "healthcheck"]`, "CMD /gateway healthcheck", "HEALTHCHECK"},
		{"a public image without authentication", "ENV GATEWAY_ADDR", "ENV GATEWAY_AUTH=none GATEWAY_ADDR", "GATEWAY_AUTH"},
		{"the same by flag", `["/gateway"]`, `["/gateway", "-auth", "none"]`, "-auth"},
		{"floating base", "golang:1.26.8", "golang:latest", "golang:latest"},
		{"base without tag", "golang:1.26.8", "golang", "golang"},
		{"older Go than the module's", "golang:1.26.8", "golang:1.25.9", "go 1.26"},
		{"one stage", "FROM scratch\n", "", "two stages"},
		{"unknown stage", "--from=build", "--from=builder", "builder"},
		{"not static", "CGO_ENABLED=0 ", "", "CGO_ENABLED=0"},
		{"paths of the builder in the binary", "-trimpath ", "", "-trimpath"},
		{"a system below the binary", "FROM scratch", "FROM debian:12", "debian:12"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := checkDockerfile(strings.Replace(goodDockerfile, tt.old, tt.new, 1), gomod)
			if tt.want == "" {
				if len(got) != 0 {
					t.Errorf("checkDockerfile() = %q, want no problem", got)
				}
				return
			}
			if !slices.ContainsFunc(got, func(problem string) bool { return strings.Contains(problem, tt.want) }) {
				t.Errorf("checkDockerfile() = %q, want a problem that names %q", got, tt.want)
			}
		})
	}
}

func parseDockerfile(text string) []instruction {
	var all []instruction
	open := false // the last instruction goes on
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		rest, more := strings.CutSuffix(line, `\`)
		if open {
			all[len(all)-1].args += " " + strings.TrimSpace(rest)
		} else {
			word, args, _ := strings.Cut(rest, " ")
			all = append(all, instruction{i + 1, word, strings.TrimSpace(args)})
		}
		open = more
	}
	return all
}

var (
	// a base is scratch, or an image with a tag that is a version or names one release line.
	pinned  = regexp.MustCompile(`^(scratch|[a-z0-9./-]+:[a-z0-9.-]+(@sha256:[0-9a-f]{64})?)$`)
	numeric = regexp.MustCompile(`^[1-9][0-9]*(:[0-9]+)?$`)
	goLine  = regexp.MustCompile(`(?m)^go (\d+\.\d+)`)
	small   = regexp.MustCompile(`^(scratch$|gcr\.io/distroless/static-)`)
)

// checkDockerfile returns one sentence per promise the Dockerfile does not keep.
func checkDockerfile(text, gomod string) []string {
	var problems []string
	complain := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }

	var stages []string
	var build, last []instruction // of the stages before the last, of the last
	base := ""
	for _, in := range parseDockerfile(text) {
		if !slices.Contains(knownWords, in.word) {
			complain("line %d: %s is no instruction of ours", in.line, in.word)
			continue
		}
		if in.args == "" {
			complain("line %d: %s has no argument", in.line, in.word)
			continue
		}
		if in.word == "FROM" {
			fields := strings.Fields(in.args)
			base = fields[0]
			if !pinned.MatchString(base) || strings.HasSuffix(base, ":latest") {
				complain("line %d: base image %s has no fixed tag", in.line, base)
			}
			if version := goLine.FindStringSubmatch(gomod); strings.HasPrefix(base, "golang:") && !strings.HasPrefix(base, "golang:"+version[1]+".") {
				complain("line %d: %s builds a module that says go %s", in.line, base, version[1])
			}
			stages = append(stages, fields[len(fields)-1])
			build, last = append(build, last...), nil
			continue
		}
		if from, ok := strings.CutPrefix(in.args, "--from="); in.word == "COPY" && ok {
			if stage, _, _ := strings.Cut(from, " "); !slices.Contains(stages[:len(stages)-1], stage) {
				complain("line %d: there is no earlier stage %s", in.line, stage)
			}
		}
		last = append(last, in)
	}
	if len(stages) < 2 {
		complain("want at least two stages, so that no compiler travels with the binary")
	}
	if !small.MatchString(base) {
		complain("the last stage stands on %s, want scratch or distroless/static", base)
	}

	// Each promise is a pattern the last instruction of that name must match.
	promise := func(in []instruction, word, pattern, why string) {
		value := ""
		for _, i := range in {
			if i.word == word && (word != "RUN" || strings.Contains(i.args, "go build")) {
				value = i.args
			}
		}
		if !regexp.MustCompile(pattern).MatchString(value) {
			complain("%s is %q, want %s: %s", word, value, pattern, why)
		}
	}
	promise(build, "RUN", `\bCGO_ENABLED=0 `, "the last stage has no C library")
	promise(build, "RUN", ` -trimpath `, "the binary does not depend on where it was built")
	promise(last, "USER", numeric.String(), "not root, and a number, which Kubernetes can judge")
	promise(last, "EXPOSE", `^8080$`, "the documented port")
	promise(last, "ENTRYPOINT", `^\["/gateway"\]$`, "no shell, so signals reach the gateway; no flags, so settings decide")
	promise(last, "HEALTHCHECK", `CMD \["/gateway", ?"healthcheck"\]$`, "there is no shell to run another form")
	for _, in := range last {
		if strings.Contains(in.args, "GATEWAY_AUTH") || strings.Contains(in.args, "-auth") {
			complain("line %d: %s sets -auth (GATEWAY_AUTH): whoever runs the image says who may call", in.line, in.word)
		}
	}
	return problems
}
