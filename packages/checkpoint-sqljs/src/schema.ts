import type { Database, SqlJsStatic } from "sql.js";
import { DatabaseCorruptError, DatabaseVersionError } from "./errors.js";
import { queryAll } from "./sql.js";

/** Written to `user_version`. Raise it with every change that an older release would misread. */
export const SCHEMA_VERSION = 1;

/** "5sea": marks the file as ours, so that another program's database is never extended with our tables. */
export const APPLICATION_ID = 0x35736561;

const SCHEMA = `
  CREATE TABLE threads (
    thread_id TEXT NOT NULL PRIMARY KEY,
    updated_at INTEGER NOT NULL
  );
  CREATE TABLE checkpoints (
    thread_id TEXT NOT NULL,
    checkpoint_ns TEXT NOT NULL,
    checkpoint_id TEXT NOT NULL,
    parent_id TEXT,
    channel_versions TEXT NOT NULL,
    checkpoint_type TEXT NOT NULL,
    checkpoint BLOB NOT NULL,
    metadata_type TEXT NOT NULL,
    metadata BLOB NOT NULL,
    PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id)
  );
  CREATE TABLE channel_blobs (
    thread_id TEXT NOT NULL,
    checkpoint_ns TEXT NOT NULL,
    channel TEXT NOT NULL,
    version TEXT NOT NULL,
    type TEXT NOT NULL,
    value BLOB NOT NULL,
    PRIMARY KEY (thread_id, checkpoint_ns, channel, version)
  );
  CREATE TABLE writes (
    thread_id TEXT NOT NULL,
    checkpoint_ns TEXT NOT NULL,
    checkpoint_id TEXT NOT NULL,
    task_id TEXT NOT NULL,
    idx INTEGER NOT NULL,
    channel TEXT NOT NULL,
    task_path TEXT NOT NULL,
    type TEXT NOT NULL,
    value BLOB NOT NULL,
    PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id, task_id, idx)
  );
  PRAGMA application_id = ${APPLICATION_ID};
  PRAGMA user_version = ${SCHEMA_VERSION};
`;

/** An empty database with our tables. */
export const createDatabase = (sql: SqlJsStatic): Database => {
  const db = new sql.Database();
  db.exec(SCHEMA);
  return db;
};

/** Opens a database's bytes, or throws the typed error that says why they are not one of ours. */
export const openDatabase = (sql: SqlJsStatic, bytes: Uint8Array, file: string): Database => {
  const defect = headerDefect(bytes);
  if (defect) throw new DatabaseCorruptError(file, defect);
  const db = new sql.Database(bytes);
  try {
    assertOurs(db, file);
    return db;
  } catch (error) {
    db.close();
    if (error instanceof DatabaseCorruptError || error instanceof DatabaseVersionError) throw error;
    throw new DatabaseCorruptError(file, "damaged", { cause: error });
  }
};

const assertOurs = (db: Database, file: string): void => {
  const number = (pragma: string): number => queryAll<[number]>(db, `PRAGMA ${pragma}`)[0]?.[0] ?? 0;
  if (number("application_id") !== APPLICATION_ID) throw new DatabaseCorruptError(file, "foreign");
  // Before the check of the pages: a newer release may be right about a file that this one finds odd.
  const version = number("user_version");
  if (version > SCHEMA_VERSION) throw new DatabaseVersionError(file, version, SCHEMA_VERSION);
  // 0.4 ms per MB, once per open: cheap against appending to a file that is already broken.
  const verdict = queryAll<[string]>(db, "PRAGMA quick_check(1)")[0]?.[0];
  if (verdict !== "ok")
    throw new DatabaseCorruptError(file, "damaged", { cause: new Error(String(verdict)) });
};

const MAGIC = "SQLite format 3\0";

/** SQLite itself reads a cut file happily until it touches a missing page, and takes an empty one for a new database. */
const headerDefect = (bytes: Uint8Array): "not-sqlite" | "truncated" | undefined => {
  if (bytes.length === 0) return "truncated";
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, MAGIC.length)).toString(
    "latin1",
  );
  if (!MAGIC.startsWith(start)) return "not-sqlite";
  if (bytes.length < 100) return "truncated";
  const view = new DataView(bytes.buffer, bytes.byteOffset, 100);
  const declared = view.getUint16(16);
  const pageSize = declared === 1 ? 65_536 : declared;
  return bytes.length < pageSize * view.getUint32(28) ? "truncated" : undefined;
};
