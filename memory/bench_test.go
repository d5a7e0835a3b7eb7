package memory_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// largest is the largest Claude Code session of PITH_CORPUS, or a made one of
// the same size and mix where that is unset.
func largest(b *testing.B) []byte {
	b.Helper()
	files, _ := filepath.Glob(filepath.Join(os.Getenv("PITH_CORPUS"), "claude-code", "*.jsonl"))
	var best []byte
	for _, f := range files {
		if data, err := os.ReadFile(f); err == nil && len(data) > len(best) {
			best = data
		}
	}
	if best == nil {
		best = madeSession(4 << 20)
	}
	return best
}

// madeSession writes rows in the proportions of a real session: a third of the
// bytes is content, the rest copies of whole files that nobody needs to read.
func madeSession(size int) []byte {
	var b bytes.Buffer
	row := func(v any) {
		line, err := json.Marshal(v)
		if err != nil {
			panic(err)
		}
		b.Write(append(line, '\n'))
	}
	source := strings.Repeat("\tif err := step(ctx, input); err != nil {\n\t\treturn fmt.Errorf(\"step: %w\", err)\n\t}\n", 200)
	for i := 0; b.Len() < size; i++ {
		id := fmt.Sprintf("toolu_%06d", i)
		at := fmt.Sprintf("2026-10-01T10:%02d:%02d.000Z", i/60%60, i%60)
		path := fmt.Sprintf("/srv/app/internal/part%02d/file%03d.go", i%17, i%113)
		head := map[string]any{"sessionId": "made", "cwd": "/srv/app", "timestamp": at}
		say := map[string]any{"type": "tool_use", "id": id, "name": "Edit", "input": map[string]any{"file_path": path, "old_string": source[:300], "new_string": source[:320]}}
		result, copyOf := "The file "+path+" has been updated.", source
		if i%3 == 0 {
			say = map[string]any{"type": "tool_use", "id": id, "name": "Bash", "input": map[string]any{"command": fmt.Sprintf("go test ./internal/part%02d/ -run TestStep%d", i%17, i)}}
			result, copyOf = "ok  \texample.test/app\t0.1s\n"+source[:4000], ""
		}
		row(rowWith(head, map[string]any{"type": "assistant", "uuid": fmt.Sprintf("a%d", i), "message": map[string]any{
			"id": fmt.Sprintf("msg_%d", i), "role": "assistant", "model": "claude-opus-4-8", "content": []any{say},
			"usage": map[string]any{"input_tokens": 10, "cache_read_input_tokens": 20000 + i*100, "output_tokens": 200}}}))
		row(rowWith(head, map[string]any{"type": "user", "uuid": fmt.Sprintf("u%d", i), "message": map[string]any{"role": "user", "content": []any{
			map[string]any{"type": "tool_result", "tool_use_id": id, "content": result}}},
			"toolUseResult": map[string]any{"filePath": path, "originalFile": copyOf}}))
		if i%40 == 0 {
			row(rowWith(head, map[string]any{"type": "user", "uuid": fmt.Sprintf("p%d", i), "message": map[string]any{"role": "user",
				"content": fmt.Sprintf("Please look at part %d next. Never change the API of Step%d.", i, i)}}))
		}
	}
	return b.Bytes()
}

func rowWith(a, b map[string]any) map[string]any {
	for k, v := range a {
		b[k] = v
	}
	return b
}

// BenchmarkCompact is the main job without the process around it: a session in
// memory becomes a state and a block.
func BenchmarkCompact(b *testing.B) {
	data := largest(b)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		compacted(b, data)
	}
}
