// Package sqlite keeps checkpoints, archived blocks and used nonces in one
// SQLite file, and finds words in sessions with an index in another. It is the
// default store.
package sqlite
