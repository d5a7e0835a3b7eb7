//go:build !unix

package main

import (
	"os/exec"
	"time"
)

// endWithChildren bounds the wait for what a command started.
func endWithChildren(cmd *exec.Cmd) { cmd.WaitDelay = time.Second }
