import { randomUUID } from "node:crypto";
import type { Ids } from "./ids.js";

/** Random names that no other process gives either. */
export const systemIds: Ids = { next: (prefix = "") => `${prefix}${randomUUID()}` };
