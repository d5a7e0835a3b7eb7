package main

import "testing"

func TestFromDifference(t *testing.T) {
	const shared = "Invoices are off by a cent, and the instalments do not add up: find out why (INC-"
	for _, tt := range []struct{ a, b, wantA, wantB string }{
		{"short one", "short two", "short one", "short two"},
		{shared + "1)", shared + "2)", "… d up: find out why (INC-1)", "… d up: find out why (INC-2)"},
		{shared + "é", shared + "è", "…  up: find out why (INC-é", "…  up: find out why (INC-è"},
		{"", "new", "", "new"},
		{shared, shared + "x", "… d up: find out why (INC-", "… d up: find out why (INC-x"},
	} {
		if a, b := fromDifference(tt.a, tt.b); a != tt.wantA || b != tt.wantB {
			t.Errorf("%q and %q are shown as %q and %q", tt.a, tt.b, a, b)
		}
	}
}
