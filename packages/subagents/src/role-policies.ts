import { createRights, type Rights } from "@fiveseam/tool-pipeline";
import type { RolePolicy } from "./role.js";

/** The eight specialists, and the delegate that deepagents would otherwise add by itself, without any fence. */
export type RoleName =
  | "code-analyzer"
  | "reviewer"
  | "architecture-expert"
  | "architect"
  | "doc-writer"
  | "debugger"
  | "tester"
  | "file-organizer"
  | "general-purpose";

/** The net may be read: what it says is as foreign as what a repository says. */
const reader = (): Rights => createRights({ effects: ["fs.read", "net"], read: "all", write: "none" });

const writerOf = (...globs: string[]): Rights =>
  createRights({ effects: ["fs.read", "fs.write", "net"], read: "all", write: globs });

/** Every role's policy. The record is total, so that a role without one does not compile. */
export const ROLE_POLICIES: Readonly<Record<RoleName, RolePolicy>> = {
  "code-analyzer": reader(),
  reviewer: reader(),
  "architecture-expert": reader(),
  architect: writerOf("/docs/adr/**"),
  "doc-writer": writerOf("/docs/**"),
  debugger: "permissive",
  tester: "permissive",
  "file-organizer": "permissive",
  "general-purpose": "permissive",
};
