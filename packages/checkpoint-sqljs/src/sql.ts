import type { Database, SqlValue } from "sql.js";

/** All rows of one statement. Statements are freed at once: `export()` would invalidate kept ones anyway. */
export const queryAll = <Row extends SqlValue[]>(
  db: Database,
  sql: string,
  params: SqlValue[] = [],
): Row[] => {
  const statement = db.prepare(sql);
  try {
    statement.bind(params);
    const rows: Row[] = [];
    while (statement.step()) rows.push(statement.get() as Row);
    return rows;
  } finally {
    statement.free();
  }
};

/** All or nothing, in memory; what reaches the disk is decided by the save. */
export const inTransaction = <T>(db: Database, body: (db: Database) => T): T => {
  db.run("BEGIN");
  try {
    const result = body(db);
    db.run("COMMIT");
    return result;
  } catch (error) {
    db.run("ROLLBACK");
    throw error;
  }
};
