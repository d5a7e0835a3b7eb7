module github.com/pith-memory/pith/meter/vocabgen

go 1.26.6

require (
	github.com/pith-memory/pith v0.0.0
	github.com/pkoukk/tiktoken-go v0.1.8
	github.com/pkoukk/tiktoken-go-loader v0.0.2
)

require (
	github.com/dlclark/regexp2 v1.10.0 // indirect
	github.com/google/uuid v1.6.0 // indirect
)

replace github.com/pith-memory/pith => ../..
