package english

import "strconv"

const maxDays = 365

var numbers = map[string]int{
	"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6,
	"seven": 7, "eight": 8, "nine": 9, "ten": 10, "twelve": 12, "fourteen": 14,
	"fifteen": 15, "twenty": 20, "thirty": 30, "few": 3, "couple": 2, "several": 3,
}

var units = map[string]int{
	"day": 1, "days": 1, "night": 1, "nights": 1, "week": 7, "weeks": 7, "month": 30, "months": 30,
}

var passedOver = map[string]bool{
	"full": true, "whole": true, "long": true, "nice": true, "sunny": true, "of": true, "lovely": true,
}

// findDays returns the first length of the trip that is named. "In five days" is when it begins.
func findDays(words []word) int {
	for i, w := range words {
		switch {
		case w.key == "fortnight":
			return 14
		case w.key == "weekend" && i > 0 && words[i-1].key == "long":
			return 3
		case w.key == "weekend":
			return 2
		case units[w.key] == 0:
			continue
		}
		at := i - 1
		for at >= 0 && passedOver[words[at].key] {
			at--
		}
		if at < 0 {
			continue
		}
		n, ok := number(words[at].key)
		if !ok || at > 0 && (words[at-1].key == "in" || words[at-1].key == "within") {
			continue
		}
		n *= units[w.key]
		if w.key == "night" || w.key == "nights" {
			n++
		}
		if n < 1 || n > maxDays {
			return 0
		}
		return n
	}
	return 0
}

func number(key string) (int, bool) {
	if n, ok := numbers[key]; ok {
		return n, true
	}
	n, err := strconv.Atoi(key)
	return n, err == nil && n <= maxDays
}
