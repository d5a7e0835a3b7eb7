-- +goose Up
-- What a tool use and its result have in common; '' in blocks from before.
ALTER TABLE blocks ADD COLUMN call TEXT NOT NULL DEFAULT '';
