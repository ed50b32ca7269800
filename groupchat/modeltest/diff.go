package modeltest

import "strings"

// Diff compares two texts line by line: lines of want alone begin with "-", those of got alone with "+". Lines that
// both have far from any difference are left out. It costs the product of the lengths of what differs.
func Diff(want, got string) string {
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	var head, tail []string
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		head, a, b = append(head, a[0]), a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		tail, a, b = append(tail, a[len(a)-1]), a[:len(a)-1], b[:len(b)-1]
	}
	var lines []string
	const near = 2
	for _, l := range head[max(0, len(head)-near):] {
		lines = append(lines, "  "+l)
	}
	lines = append(lines, changed(a, b)...)
	for i := len(tail) - 1; i >= max(0, len(tail)-near); i-- {
		lines = append(lines, "  "+tail[i])
	}
	return strings.Join(lines, "\n")
}

// changed are the lines of a and b along their longest common subsequence.
func changed(a, b []string) []string {
	const most = 2000 // lines of each side that are compared with each other
	if len(a) > most || len(b) > most {
		return append(marked("- ", a), marked("+ ", b)...)
	}
	length := make([][]int, len(a)+1)
	for i := range length {
		length[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				length[i][j] = length[i+1][j+1] + 1
			} else {
				length[i][j] = max(length[i+1][j], length[i][j+1])
			}
		}
	}
	var lines []string
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i] == b[j]:
			lines = append(lines, "  "+a[i])
			i, j = i+1, j+1
		case length[i+1][j] >= length[i][j+1]:
			lines = append(lines, "- "+a[i])
			i++
		default:
			lines = append(lines, "+ "+b[j])
			j++
		}
	}
	return append(append(lines, marked("- ", a[i:])...), marked("+ ", b[j:])...)
}

func marked(mark string, lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = mark + l
	}
	return out
}
