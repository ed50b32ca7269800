package port

import (
	"errors"
	"fmt"
	"syscall"
)

// bind binds a new socket, which does not listen, to a port that the kernel chooses.
func bind() (socket, port int, err error) {
	socket, err = syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, 0, fmt.Errorf("socket: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, syscall.Close(socket))
		}
	}()
	if err := syscall.SetsockoptInt(socket, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1); err != nil {
		return 0, 0, fmt.Errorf("setsockopt: %w", err)
	}
	if err := syscall.Bind(socket, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return 0, 0, fmt.Errorf("bind: %w", err)
	}
	name, err := syscall.Getsockname(socket)
	if err != nil {
		return 0, 0, fmt.Errorf("getsockname: %w", err)
	}
	return socket, name.(*syscall.SockaddrInet4).Port, nil
}

// unbind closes the socket.
func unbind(socket int) error { return syscall.Close(socket) }
