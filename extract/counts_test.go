package extract

import (
	"encoding/json"
	"testing"
)

func TestCounts(t *testing.T) {
	tests := []struct{ name, output, want string }{
		{"go test -v", "=== RUN   TestA\n=== RUN   TestA/sub\n--- PASS: TestA (0.00s)\n    --- PASS: TestA/sub (0.00s)\n--- FAIL: TestB (0.01s)\n--- SKIP: TestC (0.00s)\nFAIL\nFAIL\tx/y\t0.1s\n", `{"passed":2,"failed":1,"skipped":1}`},
		{"go test -v without a pass", "=== RUN   TestA\n--- FAIL: TestA (0.00s)\nFAIL\nFAIL\tx/y\t0.1s\n", `{"passed":0,"failed":1}`},
		{"go test packages", "ok  \tx/a\t0.1s\nok  \tx/b\t(cached)\n--- FAIL: TestB (0.01s)\nFAIL\nFAIL\tx/c\t0.2s\nFAIL\n", `{"passed":2,"failed":1,"unit":"packages"}`},
		{"go test and a summary of its own", "--- FAIL: TestR (0.02s)\n    r_test.go:41: got 1\nFAIL\tx/y\t1.2s\n3 passed, 1 failed\nexit status 1\n", `{"passed":3,"failed":1}`},
		{"summary after ok", "ok ./imp 2.1s\n17 passed", `{"passed":17,"failed":0}`},
		{"go test -json", `{"Time":"x","Action":"pass","Package":"p","Test":"TestA"}` + "\n" + `{"Action":"fail","Package":"p","Test":"TestB"}` + "\n" + `{"Action":"fail","Package":"p"}`, `{"passed":1,"failed":1}`},
		{"gotestsum", "=== Failed\nDONE 212 tests, 1 skipped, 3 failures in 2.103s", `{"passed":208,"failed":3,"skipped":1,"total":212}`},
		{"pytest", "tests/test_a.py ..F\n= 3 failed, 212 passed, 1 skipped, 2 errors in 4.20s =", `{"passed":212,"failed":3,"errors":2,"skipped":1}`},
		{"pytest -q", "..F\n1 failed, 2 passed, 4 warnings in 0.12s", `{"passed":2,"failed":1}`},
		{"unittest", "Ran 12 tests in 0.004s\n\nFAILED (failures=1, errors=2)", `{"passed":9,"failed":1,"errors":2,"total":12}`},
		{"unittest ok", "----\nRan 12 tests in 0.004s\n\nOK (skipped=2)", `{"passed":10,"failed":0,"skipped":2,"total":12}`},
		{"jest", "Test Suites: 1 failed, 2 passed, 3 total\nTests:       1 failed, 1 skipped, 3 passed, 5 total\nSnapshots:   0 total\nTime:        1.2 s", `{"passed":3,"failed":1,"skipped":1,"total":5}`},
		{"vitest", " Test Files  1 failed | 2 passed (3)\n      Tests  2 failed | 10 passed (12)\n   Start at  10:00:00\n   Duration  1.22s (transform 1ms)", `{"passed":10,"failed":2}`},
		{"mocha", "  10 passing (1s)\n  1 pending\n  2 failing\n\n  1) x", `{"passed":10,"failed":2,"skipped":1}`},
		{"node --test", "ℹ tests 5\nℹ suites 0\nℹ pass 4\nℹ fail 1\nℹ cancelled 0\nℹ skipped 0\nℹ todo 0\nℹ duration_ms 58.1", `{"passed":4,"failed":1,"total":5}`},
		{"node --test tap", "# tests 5\n# suites 0\n# pass 4\n# fail 1\n# cancelled 0\n# skipped 0", `{"passed":4,"failed":1,"total":5}`},
		{"bun", " 5 pass\n 1 fail\n 12 expect() calls\nRan 6 tests across 1 files. [22.00ms]", `{"passed":5,"failed":1}`},
		{"deno", "ok | 5 passed | 0 failed (12ms)", `{"passed":5,"failed":0}`},
		{"cargo", "running 4 tests\ntest result: FAILED. 3 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\ntest result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out", `{"passed":5,"failed":1,"skipped":1}`},
		{"nextest", "     Summary [   0.105s] 12 tests run: 10 passed, 2 failed, 1 skipped", `{"passed":10,"failed":2,"skipped":1}`},
		{"maven", "[INFO] Tests run: 5, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s -- in ATest\n[ERROR] Tests run: 12, Failures: 1, Errors: 0, Skipped: 2", `{"passed":9,"failed":1,"skipped":2,"total":12}`},
		{"gradle", "12 tests completed, 1 failed, 2 skipped", `{"passed":11,"failed":1,"total":12}`},
		{"rspec", "12 examples, 1 failure, 2 pending", `{"passed":9,"failed":1,"skipped":2,"total":12}`},
		{"minitest", "5 runs, 9 assertions, 1 failures, 0 errors, 0 skips", `{"passed":4,"failed":1,"total":5}`},
		{"ctest", "95% tests passed, 1 tests failed out of 20", `{"passed":19,"failed":1,"total":20}`},
		{"phpunit ok", "OK (12 tests, 30 assertions)", `{"passed":12,"failed":0,"total":12}`},
		{"phpunit", "Tests: 12, Assertions: 30, Failures: 1.", `{"passed":11,"failed":1,"total":12}`},
		{"dotnet", "Failed!  - Failed:     1, Passed:    11, Skipped:     0, Total:    12, Duration: 30 ms - T.dll (net8.0)", `{"passed":11,"failed":1}`},
		{"exunit", "5 doctests, 7 tests, 1 failure, 2 excluded", `{"passed":6,"failed":1,"total":7}`},
		{"swift", "Executed 12 tests, with 1 failure (0 unexpected) in 0.1 (0.1) seconds", `{"passed":11,"failed":1,"total":12}`},
		{"playwright", "  3 failed\n    a.spec.ts:3:1\n  10 passed (5.0s)", `{"passed":10,"failed":3}`},
		{"tsc", "Found 3 errors in 2 files.", `{"passed":0,"failed":3,"unit":"errors"}`},
		{"tsc plain", "src/a.ts(1,2): error TS2322: x\nsrc/a.ts(3,2): error TS2322: y", `{"passed":0,"failed":2,"unit":"errors"}`},
		{"eslint", "✖ 5 problems (3 errors, 2 warnings)", `{"passed":0,"failed":3,"total":5,"unit":"problems"}`},
		{"golangci-lint", "a.go:1:2: x (govet)\n3 issues:\n* govet: 3", `{"passed":0,"failed":3,"unit":"issues"}`},
		{"mypy", "Found 3 errors in 2 files (checked 10 source files)", `{"passed":0,"failed":3,"unit":"errors"}`},
		{"rubocop", "10 files inspected, 3 offenses detected", `{"passed":0,"failed":3,"unit":"offenses"}`},
		{"tap", "TAP version 13\nok 1 - a\nnot ok 2 - b\nok 3 - c # SKIP no\n1..3", `{"passed":1,"failed":1,"skipped":1}`},
		{"summary with labels", "Tests: 3 failed, 1 skipped, 212 passed, 216 total\nTime: 48.2 s", `{"passed":212,"failed":3,"skipped":1,"total":216}`},
		{"failed first", "2 failed, 140 passed\nmake: *** [unit] Error 1", `{"passed":140,"failed":2}`},
		{"prose states nothing", "We ran 3 tests yesterday and all passed.\ncompiled 12 files", `null`},
		{"a build prints no counts", "go: downloading x v1.2.3\n# x/y\na.go:3:4: undefined: z", `null`},
		{"a failing summary is not hidden by a later one", "1 failed, 2 passed in 1s\n\n\n\n\n\n5 passed in 1s", `{"passed":2,"failed":1}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := json.Marshal(countsOf(tt.output, filter{}))
			if err != nil || string(got) != tt.want {
				t.Errorf("counts = %s, want %s (%v)", got, tt.want, err)
			}
		})
	}
}
