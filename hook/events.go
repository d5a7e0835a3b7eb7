package hook

// handlers answer the events, each in the file that is named after it.
var handlers = map[Event]func(*turn) (Output, error){
	SessionCompact: (*turn).sessionCompact,
	PreCompact:     (*turn).preCompact,
}
