//go:build !windows && !plan9 && !js && !wasip1

package workspace

import "syscall"

// noWait keeps the opening of a pipe from waiting for its other end.
const noWait = syscall.O_NONBLOCK
