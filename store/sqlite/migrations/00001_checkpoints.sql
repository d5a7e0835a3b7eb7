-- +goose Up
PRAGMA application_id = 1885959283;

-- The written states, apart from what describes them: that can be read, and
-- moved, where a page of a state cannot.
CREATE TABLE states (
	n INTEGER PRIMARY KEY AUTOINCREMENT,
	state BLOB NOT NULL
);

CREATE TABLE checkpoints (
	n INTEGER PRIMARY KEY REFERENCES states (n),
	id TEXT NOT NULL,
	session TEXT NOT NULL,
	seq INTEGER NOT NULL,
	parent TEXT NOT NULL,      -- '' for the first
	saved_at INTEGER,          -- nanoseconds since 1970; NULL without a time
	owner TEXT NOT NULL,
	project TEXT NOT NULL,
	how TEXT NOT NULL,
	format TEXT NOT NULL,
	goal TEXT NOT NULL,        -- its first line
	through INTEGER NOT NULL,
	turn INTEGER NOT NULL,
	schema TEXT NOT NULL,      -- the version of the contract
	bytes INTEGER NOT NULL,
	sha256 BLOB NOT NULL,      -- of the state as it is written; the id is over its canonical form
	disk TEXT,                 -- JSON; NULL where nobody looked
	aside INTEGER              -- when a damaged record had to give its place to another
);

CREATE UNIQUE INDEX checkpoints_id ON checkpoints (id) WHERE aside IS NULL;
CREATE UNIQUE INDEX checkpoints_place ON checkpoints (session, seq) WHERE aside IS NULL;
CREATE INDEX checkpoints_aside ON checkpoints (session) WHERE aside IS NOT NULL;

-- Redacted texts of blocks, each kept once, compressed with zstd.
CREATE TABLE texts (
	n INTEGER PRIMARY KEY,
	sha256 BLOB NOT NULL UNIQUE,
	text BLOB NOT NULL
);

CREATE TABLE blocks (
	session TEXT NOT NULL,
	message INTEGER NOT NULL,
	block INTEGER NOT NULL,
	role TEXT NOT NULL,
	kind INTEGER NOT NULL,
	tool TEXT NOT NULL,
	agent TEXT NOT NULL,
	origin INTEGER NOT NULL,
	time INTEGER,
	hash BLOB NOT NULL,
	text INTEGER NOT NULL REFERENCES texts (n),
	put_at INTEGER NOT NULL,
	PRIMARY KEY (session, message, block)
) WITHOUT ROWID;

CREATE INDEX blocks_text ON blocks (text);
CREATE INDEX blocks_put_at ON blocks (put_at);

CREATE TABLE nonces (
	nonce TEXT PRIMARY KEY,
	expires INTEGER NOT NULL   -- seconds since 1970
) WITHOUT ROWID;
