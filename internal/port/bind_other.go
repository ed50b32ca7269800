//go:build !linux

package port

import "errors"

// bind fails: other systems do not let a server listen on a port that another socket is bound to.
func bind() (socket, port int, err error) {
	return 0, 0, errors.New("ports can be reserved on Linux only")
}

// unbind has nothing to close.
func unbind(int) error { return nil }
