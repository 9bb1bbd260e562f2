import type { AuditRecord, AuditSink } from "./record.js";

export interface MemoryAuditSink extends AuditSink {
  readonly records: readonly AuditRecord[];
}

/** Keeps the last records, 10,000 by default; for tests and for showing them. */
export const memoryAuditSink = (options: { maxRecords?: number } = {}): MemoryAuditSink => {
  const { maxRecords = 10_000 } = options;
  const records: AuditRecord[] = [];
  return {
    records,
    write(record) {
      records.push(record);
      // A tenth at a time: shifting one record a call would move all the others each time.
      if (records.length > maxRecords) records.splice(0, Math.max(1, Math.floor(maxRecords / 10)));
    },
  };
};
