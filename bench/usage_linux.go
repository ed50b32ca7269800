package main

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// A usage is what a process has used so far, as the operating system accounts for it.
type usage struct {
	cpu    time.Duration
	memory int64 // bytes that are resident now
}

// tick is the unit in which Linux tells of CPU time: USER_HZ, which is 100 on all its platforms that Go has.
const tick = 10 * time.Millisecond

// usageOf reads the account of a process.
func usageOf(pid int) (usage, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return usage{}, err
	}
	// The command's name is in brackets, and may hold anything; the state follows, which is the third field.
	fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
	number := func(n int) int64 {
		v, parseErr := strconv.ParseInt(fields[n-3], 10, 64)
		if parseErr != nil {
			err = parseErr
		}
		return v
	}
	u := usage{cpu: time.Duration(number(14)+number(15)) * tick, memory: number(24) * int64(os.Getpagesize())}
	return u, err
}
