// What cases/harness.mjs runs: the built package, as an agent's files are put together.
import { FreshnessLedger, withFreshness, WorkspaceBackend } from "../dist/index.js";

const ledgers = new Map();
const ledgerOf = (root) => {
  if (!ledgers.has(root)) ledgers.set(root, new FreshnessLedger());
  return ledgers.get(root);
};

export const virtualPrefix = "";
export const createBackend = (root, { agent }) =>
  withFreshness(new WorkspaceBackend({ root }), { ledger: ledgerOf(root), agent });
