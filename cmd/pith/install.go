package main

import (
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/pith-memory/pith/install"
)

func installCommand(c *console) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "install AGENT",
		Short: "Set pith up in a coding agent",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if args[0] != "claude-code" {
				return usage("claude-code", "unknown agent %q", args[0])
			}
			self, err := os.Executable()
			if err != nil {
				return err
			}
			return install.ClaudeCode(install.Config{Pith: self, Version: "devel", Data: filepath.Join(dataFolder(), "pith"), Claude: agentFolder("CLAUDE_CONFIG_DIR", ".claude")})
		},
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return cmd
}

// agentFolder is where an agent keeps its settings: where the environment says,
// else in the home folder.
func agentFolder(env, below string) string {
	if dir := os.Getenv(env); dir != "" {
		return dir
	}
	home, err := os.UserHomeDir()
	if err != nil {
		home = "."
	}
	return filepath.Join(home, below)
}
