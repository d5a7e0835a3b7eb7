package file

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"

	"github.com/pith-memory/pith"
)

// index is a file that says which blocks were put at one time.
type index struct {
	FormatVersion int       `json:"format_version"`
	Session       string    `json:"session_id"`
	PutAt         time.Time `json:"put_at"`
	Blocks        []line    `json:"blocks"`
	number        int
}

// line is a block without its text.
type line struct {
	Message int             `json:"message"`
	Block   int             `json:"block"`
	Role    pith.Role       `json:"role,omitempty"`
	Kind    string          `json:"kind"`
	Tool    string          `json:"tool,omitempty"`
	Call    string          `json:"call,omitempty"`
	Agent   string          `json:"agent,omitempty"`
	Origin  pith.Provenance `json:"origin"`
	Time    time.Time       `json:"time,omitzero"`
	// Text names the file of the text: the hash of exactly that.
	Text string `json:"text_sha256"`
	// Hash is what the block itself says.
	Hash string `json:"hash"`
}

// blockKey is what makes a block the same as one that is there already.
type blockKey struct {
	agent          string
	message, block int
	text           string
}

func (l *line) key() blockKey { return blockKey{l.Agent, l.Message, l.Block, l.Text} }

func describeBlock(b *pith.ArchivedBlock) line {
	return line{
		Message: b.Message, Block: b.Block, Role: b.Role, Kind: b.Kind.String(), Tool: b.Tool, Call: b.Call, Agent: b.Agent,
		Origin: b.Origin, Time: b.Time, Text: textHash(b.Text), Hash: hex.EncodeToString(b.Hash[:]),
	}
}

func (l *line) block(text string) *pith.ArchivedBlock {
	b := &pith.ArchivedBlock{
		Message: l.Message, Block: l.Block, Role: l.Role, Kind: pith.KindOpaque, Tool: l.Tool, Call: l.Call, Agent: l.Agent,
		Origin: l.Origin, Time: l.Time, Text: text,
	}
	for k := range pith.KindOpaque {
		if k.String() == l.Kind {
			b.Kind = k
		}
	}
	if hash, err := hex.DecodeString(l.Hash); err == nil {
		copy(b.Hash[:], hash)
	}
	return b
}

func (x *index) encode() ([]byte, error) {
	b, err := json.Marshal(x, jsontext.WithIndent("  "), jsontext.AllowInvalidUTF8(true),
		jsonv1.OmitEmptyWithLegacySemantics(true), json.Deterministic(true))
	return append(b, '\n'), err
}

func indexName(number int) string { return fmt.Sprintf("index-%08d.json", number) }

// indexes reads what was put into the archive of a session, oldest first. One
// that cannot be read costs itself.
func (s *Store) indexes(folder string) ([]*index, error) {
	entries, err := s.sys.entries(s.path(folder, blocksFolder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []*index
	for _, e := range entries {
		digits, ok := strings.CutSuffix(strings.TrimPrefix(e.Name(), "index-"), ".json")
		number, err := strconv.Atoi(digits)
		if !ok || err != nil || number < 0 || indexName(number) != e.Name() {
			continue
		}
		b, err := s.sys.read(s.path(folder, blocksFolder, e.Name()))
		if err != nil {
			return nil, err
		}
		if version, err := versionOf(b); err == nil && version > formatVersion {
			return nil, errNewer
		}
		x := &index{number: number}
		if err := json.Unmarshal(b, x); err != nil {
			// Its number is taken all the same, and nothing of it is known.
			x.Blocks, x.PutAt = nil, time.Now()
		}
		all = append(all, x)
	}
	slices.SortFunc(all, func(a, b *index) int { return a.number - b.number })
	return all, nil
}
