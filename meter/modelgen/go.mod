module github.com/pith-memory/pith/meter/modelgen

go 1.26.6

require (
	charm.land/catwalk v0.52.1
	github.com/pith-memory/pith v0.0.0
)

require github.com/charmbracelet/x/etag v0.2.0 // indirect

replace github.com/pith-memory/pith => ../..
