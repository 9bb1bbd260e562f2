export { createCodingSubagents, type CodingSubagentsOptions } from "./coding-subagents.js";
export { defineRole, type Role, type RoleDefinition, type RolePolicy, type RoleTools } from "./role.js";
export { ROLE_POLICIES, type RoleName } from "./role-policies.js";
export { rolePrompt } from "./role-prompt.js";
export { ROLES } from "./roles.js";
export { modeOf, PLAN_RIGHTS, planModeMiddleware, rightsOfRun, type RunMode } from "./run-mode.js";
export { delegationMiddleware, type DelegationOptions, type Heartbeat } from "./delegation.js";
export { withCallRights } from "./call-rights.js";
export { DelegationError, RightsError, type DelegationErrorCode } from "./errors.js";
