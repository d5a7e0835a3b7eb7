package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/handoff"
)

// A folder of keys holds a file ID.key for each key, and a file named current
// with the id of the one that signs. The others open what they signed.
const (
	keySuffix   = ".key"
	currentFile = "current"
)

func keyFolder() string { return filepath.Join(dataFolder(), "pith", "keys") }

const keyLong = `The keys that sign what is handed to other agents, and that check what they
hand over. They lie in the pith/keys folder of the user's data folder, one file
ID.key each: one line, "pith-key-v1 " and 64 hex digits, for its owner alone.

An id is the first 16 hex digits of the sha256 of the key. A receiver on
another machine needs the same key: copy the file ID.key into its folder.`

func keyCommand(c *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "key",
		Short: "Make, list and replace the keys that sign hand-overs",
		Long:  keyLong,
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		&cobra.Command{
			Use:   "new",
			Short: "Make the first key and print its id",
			Args:  cobra.NoArgs,
			RunE:  func(*cobra.Command, []string) error { return c.newKey() },
		},
		keyListCommand(c), keyRotateCommand(c),
	)
	return cmd
}

func keyListCommand(c *console) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the ids of the keys",
		Args:  cobra.NoArgs,
		RunE:  func(*cobra.Command, []string) error { return c.listKeys(asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func keyRotateCommand(c *console) *cobra.Command {
	var retire string
	cmd := &cobra.Command{
		Use:   "rotate",
		Short: "Make a new key that signs; the old ones open until they are retired",
		Long: `Make a new key that signs from now on, and print its id. The old ones go on
opening what they signed. With --retire ID no key is made: the old key ID is
removed, and what it signed is refused from then on.`,
		Example: "  pith key rotate\n  pith key rotate --retire 0123456789abcdef",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("retire") {
				return retireKey(retire)
			}
			return c.rotateKey()
		},
	}
	cmd.Flags().StringVar(&retire, "retire", "", "remove this old key instead of making one")
	return cmd
}

func (c *console) newKey() error {
	ring, err := readKeys()
	if err != nil {
		return err
	}
	if k, ok := ring.Current(); ok {
		return usage("`pith key rotate` makes another one", "there is a key already: %s", k.ID())
	}
	return c.addKey()
}

func (c *console) rotateKey() error {
	ring, err := readKeys()
	if err != nil {
		return err
	}
	if _, ok := ring.Current(); !ok {
		return errNoKey()
	}
	return c.addKey()
}

// addKey makes a key, makes it the one that signs, and prints its id.
func (c *console) addKey() error {
	secret := make([]byte, handoff.KeySize)
	if _, err := rand.Read(secret); err != nil {
		return keyError("make a key", err)
	}
	k, err := handoff.NewKey(secret)
	if err != nil {
		return err
	}
	dir := keyFolder()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return keyError("make the folder of keys", cause(err))
	}
	if err := replaceFile(filepath.Join(dir, k.ID()+keySuffix), handoff.MarshalKey(k)); err != nil {
		return err
	}
	if err := replaceFile(filepath.Join(dir, currentFile), []byte(k.ID()+"\n")); err != nil {
		return err
	}
	fmt.Fprintln(c.out, k.ID())
	return nil
}

func retireKey(id string) error {
	ring, err := readKeys()
	if err != nil {
		return err
	}
	if k, ok := ring.Current(); ok && k.ID() == id {
		return usage("`pith key rotate` first makes another one the current key", "%s is the key that signs", id)
	}
	if _, ok := ring.Retire(id); !ok {
		return usage("`pith key list` shows them", "there is no old key %q", id)
	}
	if err := os.Remove(filepath.Join(keyFolder(), id+keySuffix)); err != nil {
		return keyError("retire the key "+id, cause(err))
	}
	return nil
}

func (c *console) listKeys(asJSON bool) error {
	ring, err := readKeys()
	if err != nil {
		return err
	}
	k, _ := ring.Current()
	if asJSON {
		return printJSON(c.out, struct {
			Folder  string   `json:"folder"`
			Current string   `json:"current"`
			Old     []string `json:"old"`
		}{keyFolder(), k.ID(), ring.Old()})
	}
	if k.ID() != "" {
		fmt.Fprintf(c.out, "%s  %s\n", k.ID(), c.paint(green, "current"))
	}
	for _, id := range ring.Old() {
		fmt.Fprintf(c.out, "%s  %s\n", id, c.paint(dim, "old, opens only"))
	}
	return nil
}

// readKeys reads every key of the folder; where there is no folder, there are
// no keys.
func readKeys() (*handoff.Keyring, error) {
	dir := keyFolder()
	files, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return handoff.NewKeyring(handoff.Key{}), nil
	}
	if err != nil {
		return nil, keyError("read the folder of keys", err)
	}
	named, err := os.ReadFile(filepath.Join(dir, currentFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, keyError("read which key signs", err)
	}
	var current handoff.Key
	var old []handoff.Key
	for _, f := range files {
		id, isKey := strings.CutSuffix(f.Name(), keySuffix)
		if !isKey || strings.HasPrefix(id, ".") {
			continue
		}
		k, err := readKey(filepath.Join(dir, f.Name()), id)
		if err != nil {
			return nil, err
		}
		if k.ID() == strings.TrimSpace(string(named)) {
			current = k
		} else {
			old = append(old, k)
		}
	}
	return handoff.NewKeyring(current, old...), nil
}

// maxKeyFile bounds what is read as a key.
const maxKeyFile = 4 << 10

// readKey reads a key file, which must be for its owner alone and bear its id.
func readKey(file, id string) (handoff.Key, error) {
	info, err := os.Stat(file)
	if err != nil {
		return handoff.Key{}, keyError("read the key "+file, cause(err))
	}
	if !info.Mode().IsRegular() || info.Size() > maxKeyFile {
		return handoff.Key{}, keyError("read the key "+file, errors.New("it is no key file"))
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return handoff.Key{}, &pith.Error{
			Op: "read the key " + file, Kind: pith.KindCheck, Err: fmt.Errorf("others may read it (mode %04o)", info.Mode().Perm()),
			Hint: "chmod 600 " + file + ", and `pith key rotate` where somebody may have read it",
		}
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return handoff.Key{}, keyError("read the key "+file, cause(err))
	}
	k, err := handoff.ParseKey(data)
	if err == nil && k.ID() != id {
		err = &pith.Error{Op: "read a key", Kind: pith.KindInput, Err: fmt.Errorf("its id is %s", k.ID()), Hint: "name the file after the id of its key"}
	}
	if err != nil {
		return handoff.Key{}, inFile(file, err)
	}
	return k, nil
}

func keyError(op string, err error) error {
	return &pith.Error{Op: op, Kind: pith.KindStore, Err: err, Hint: "the keys lie in " + keyFolder()}
}

func errNoKey() error {
	return usage("`pith key new` makes one", "there is no key that signs")
}
