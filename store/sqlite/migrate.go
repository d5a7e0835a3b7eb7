package sqlite

import (
	"context"
	"embed"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"

	"github.com/pith-memory/pith"
)

//go:embed migrations/*.sql
var migrations embed.FS

// storeMark is the application id of a store: "pits".
const storeMark = 0x70697473

// currentSchema is the number of the last migration.
const currentSchema = 2

// migrationAttempts is how often to look again where another process was the
// first to migrate the file.
const migrationAttempts = 5

// migrate brings the tables of a file up to date, one process at a time.
func migrate(ctx context.Context, d *database) error {
	var err error
	for range migrationAttempts {
		version, versionErr := schemaVersion(ctx, d)
		switch {
		case versionErr != nil:
			return versionErr
		case version > currentSchema:
			return &pith.Error{
				Op: "open the store", Kind: pith.KindStore,
				Err:  fmt.Errorf("%s was made by a newer pith (schema %d, this one knows %d): update pith", d.path, version, currentSchema),
				Hint: "update pith, or choose another store",
			}
		case version == currentSchema:
			return nil
		}
		if err = runMigrations(ctx, d); ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return err
}

// schemaVersion is the last migration that a file has had, 0 for an empty one.
// It is asked without the machinery of migrations, which most calls do not need.
func schemaVersion(ctx context.Context, d *database) (version int64, err error) {
	var there bool
	err = d.db.QueryRowContext(ctx, `SELECT count(*) > 0 FROM sqlite_schema WHERE name = 'goose_db_version'`).Scan(&there)
	if err != nil || !there {
		return 0, err
	}
	err = d.db.QueryRowContext(ctx, `SELECT coalesce(max(version_id), 0) FROM goose_db_version WHERE is_applied`).Scan(&version)
	return version, err
}

func runMigrations(ctx context.Context, d *database) error {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	p, err := goose.NewProvider(goose.DialectSQLite3, d.db, files, goose.WithDisableGlobalRegistry(true), goose.WithLogger(goose.NopLogger()))
	if err != nil {
		return err
	}
	_, err = p.Up(ctx)
	return err
}
