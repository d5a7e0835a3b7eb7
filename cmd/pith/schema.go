package main

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	schemas "github.com/pith-memory/pith/contracts/schemas"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/extract"
)

func schemaCommand(c *console) *cobra.Command {
	return &cobra.Command{
		Use:       "schema [NAME]",
		Short:     "Print a JSON Schema of the contracts, or their names",
		Example:   "  pith schema\n  pith schema compact-working-state > state.schema.json",
		Args:      cobra.MaximumNArgs(1),
		ValidArgs: schemas.Names(),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				_, err := fmt.Fprintln(c.out, strings.Join(schemas.Names(), "\n"))
				return err
			}
			text, ok := schemas.Read(args[0])
			if !ok {
				return usage("known: "+strings.Join(schemas.Names(), ", "), "there is no schema %q", args[0])
			}
			_, err := c.out.Write(text)
			return err
		},
	}
}

// version is set by the release build.
var version = ""

type versionInfo struct {
	Version   string `json:"version"`
	Schema    string `json:"schema_version"`
	Extractor string `json:"extractor_version"`
	Go        string `json:"go"`
	Platform  string `json:"platform"`
}

func versionCommand(c *console) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version, and those of the schema and the extraction rules",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			v := versionInfo{programVersion(), pith.SchemaVersion, extract.Version, runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
			if asJSON {
				return printJSON(c.out, v)
			}
			_, err := fmt.Fprintf(c.out, "pith %s (state schema %s, %s, %s, %s)\n", v.Version, v.Schema, v.Extractor, v.Go, v.Platform)
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
