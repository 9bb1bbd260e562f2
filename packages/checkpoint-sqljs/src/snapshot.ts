import type { Database, SqlJsStatic, SqlValue } from "sql.js";
import { DatabaseCorruptError, DatabaseVersionError } from "./errors.js";
import { inTransaction, queryAll } from "./sql.js";

/** Raise it with every change that an older release would misread. */
export const FORMAT_VERSION = 2;

/** "5sea": marks the file as ours, so that another program's database is never replaced. */
const APPLICATION_ID = 0x35736561;

/**
 * `user_version` holds the format in its high byte and the generation below. The header of a SQLite file is at a fixed
 * place, so the journal that belongs to a file is found from its first hundred bytes.
 */
const GENERATION_BITS = 24;
const MAX_GENERATION = 2 ** GENERATION_BITS - 1;

/** The generation of a file that was exported: it is complete without a journal. */
export const EXPORTED = 0;

const MAGIC = "SQLite format 3\0";

/** As many bytes of a file as `readGeneration` looks at. */
export const SNAPSHOT_HEAD = 100;

/** What a kind of database keeps and how it is laid out in SQLite. */
export interface SnapshotSchema<S> {
  /** `CREATE TABLE` statements. */
  readonly tables: string;
  write(state: S, db: Database): void;
  read(db: Database): S;
}

/** An ordinary SQLite file with everything in the state. */
export const encodeSnapshot = <S>(
  sql: SqlJsStatic,
  schema: SnapshotSchema<S>,
  state: S,
  generation: number,
): Uint8Array => {
  if (generation > MAX_GENERATION) throw new RangeError("too many generations");
  const db = new sql.Database();
  try {
    db.run(`PRAGMA application_id = ${APPLICATION_ID}`);
    db.run(`PRAGMA user_version = ${FORMAT_VERSION * 2 ** GENERATION_BITS + generation}`);
    db.run("PRAGMA journal_mode = OFF");
    db.run(schema.tables);
    inTransaction(db, () => schema.write(state, db));
    return db.export();
  } finally {
    db.close();
  }
};

/** Checks what the first bytes say. Throws when this is no file of ours, or not one that this release can read. */
export const readGeneration = (bytes: Uint8Array, file: string, size: number = bytes.length): number => {
  const defect = headerDefect(bytes, size);
  if (defect) throw new DatabaseCorruptError(file, defect);
  const header = new DataView(bytes.buffer, bytes.byteOffset, SNAPSHOT_HEAD);
  const version = header.getUint32(60);
  const format = Math.floor(version / 2 ** GENERATION_BITS);
  if (header.getUint32(68) !== APPLICATION_ID) throw new DatabaseCorruptError(file, "foreign");
  // Before format 2 the whole field was the version.
  if (format !== FORMAT_VERSION) throw new DatabaseVersionError(file, format || version, FORMAT_VERSION);
  return version % 2 ** GENERATION_BITS;
};

/** `verified`: a checksum over all bytes was right, so SQLite need not look for damage. */
export const decodeSnapshot = <S>(
  sql: SqlJsStatic,
  schema: SnapshotSchema<S>,
  bytes: Uint8Array,
  file: string,
  verified: boolean,
): S => {
  let db: Database | undefined;
  try {
    db = new sql.Database(bytes);
    const verdict = verified ? "ok" : queryAll<[string]>(db, "PRAGMA integrity_check(1)")[0]?.[0];
    if (verdict !== "ok") throw new Error(String(verdict));
    return schema.read(db);
  } catch (cause) {
    throw new DatabaseCorruptError(file, "damaged", { cause });
  } finally {
    db?.close();
  }
};

/** SQLite reads a cut file happily until it touches a missing page, and takes an empty one for a new database. */
const headerDefect = (bytes: Uint8Array, size: number): "not-sqlite" | "truncated" | undefined => {
  if (bytes.length === 0) return "truncated";
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, MAGIC.length));
  if (!MAGIC.startsWith(start.toString("latin1"))) return "not-sqlite";
  if (bytes.length < SNAPSHOT_HEAD) return "truncated";
  const view = new DataView(bytes.buffer, bytes.byteOffset, SNAPSHOT_HEAD);
  const declared = view.getUint16(16);
  const pageSize = declared === 1 ? 65_536 : declared;
  return size < pageSize * view.getUint32(28) ? "truncated" : undefined;
};

/** Rows that are taken out of SQLite at once … */
const PAGE = 4_000;
/** … and bytes of JSON: V8 has no string of half a gigabyte. */
const PAGE_BYTES = 32_000_000;

/**
 * The rows of a table in the order in which they were written. Column by column they cost a call into WebAssembly each,
 * which is most of the time of opening a file; as JSON, pages of them come out in one piece. So no column may be a BLOB.
 */
export const forEachRow = <Row extends SqlValue[]>(
  db: Database,
  table: string,
  columns: string,
  visit: (row: Row) => void,
): void => {
  const ends = pageEnds(db, table, columns);
  const statement = db.prepare(
    `SELECT json_group_array(json_array(${columns})), max(rowid)
     FROM (SELECT rowid, * FROM ${table} WHERE rowid > ? AND rowid <= ? ORDER BY rowid LIMIT ${PAGE})`,
  );
  try {
    for (let last = -1; ;) {
      while (ends.length > 1 && ends[0]! <= last) ends.shift();
      statement.bind([last, ends[0]!]);
      statement.step();
      const [json, next] = statement.get() as [string, number | null];
      if (next === null) return;
      for (const row of JSON.parse(json) as Row[]) visit(row);
      last = next;
    }
  } finally {
    statement.free();
  }
};

/** The last row of each page, where the file is large enough for rows to be counted by their bytes. */
const pageEnds = (db: Database, table: string, columns: string): number[] => {
  const [[pages], [pageSize]] = [
    queryAll<[number]>(db, "PRAGMA page_count")[0]!,
    queryAll<[number]>(db, "PRAGMA page_size")[0]!,
  ];
  const ends: number[] = [];
  if (pages * pageSize > PAGE_BYTES) {
    let bytes = 0;
    let before = -1;
    forEachRowOf<[number, number]>(
      db,
      `SELECT rowid, length(CAST(json_array(${columns}) AS BLOB)) FROM ${table} ORDER BY rowid`,
      ([row, size]) => {
        if (bytes > 0 && bytes + size > PAGE_BYTES) {
          ends.push(before);
          bytes = 0;
        }
        bytes += size;
        before = row;
      },
    );
  }
  return [...ends, Number.MAX_SAFE_INTEGER];
};

/** Of a table with few rows, or with BLOBs. */
export const forEachRowOf = <Row extends SqlValue[]>(
  db: Database,
  query: string,
  visit: (row: Row) => void,
): void => {
  const statement = db.prepare(query);
  try {
    while (statement.step()) visit(statement.get() as Row);
  } finally {
    statement.free();
  }
};

export const insertRows = (
  db: Database,
  table: string,
  columns: number,
  rows: () => Iterable<SqlValue[]>,
): void => {
  const statement = db.prepare(`INSERT INTO ${table} VALUES (${Array(columns).fill("?").join(", ")})`);
  try {
    for (const row of rows()) statement.run(row);
  } finally {
    statement.free();
  }
};
