package main

import (
	"regexp"
	"strings"
)

// A failure is a failed test.
type failure struct {
	// name is unique in the run and made for people.
	name string
	// pkg is the Go package or the file of the test, test its name there.
	pkg, test string
	// output is what the test printed, or its error.
	output string
	// final says why there is no second run. It is empty if there may be one.
	final string
}

// finalOutputs are the outputs after which a test has no second run.
var finalOutputs = []struct {
	why     string
	pattern *regexp.Regexp
}{
	{"race", regexp.MustCompile(`WARNING: DATA RACE|race detected during execution of test`)},
	{"timeout", regexp.MustCompile(`panic: test timed out after|test timed out after \d+`)},
	{"panic", regexp.MustCompile(`(?m)^\s*(panic: |fatal error: )`)},
}

// judge sets f.final from the output of the test or of its process.
func (f *failure) judge(output string) {
	for _, o := range finalOutputs {
		if f.final == "" && o.pattern.MatchString(output) {
			f.final = o.why
		}
	}
}

// noise matches lines of an output that say nothing about the failure.
var noise = regexp.MustCompile(`^\s*(--- PASS: .*|at .*node:internal.*|FAIL|PASS|exit status \d+)?$`)

// firstLines returns at most n lines of an output, each at most 200 bytes long.
func firstLines(output string, n int) []string {
	var lines []string
	for line := range strings.Lines(output) {
		line = strings.TrimRight(line, "\r\n")
		if noise.MatchString(line) {
			continue
		}
		if len(lines) == n {
			break
		}
		lines = append(lines, strings.ToValidUTF8(line[:min(len(line), 200)], ""))
	}
	return lines
}
