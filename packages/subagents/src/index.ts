export { createCodingSubagents, type CodingSubagentsOptions } from "./coding-subagents.js";
export { ROLE_POLICIES, ROLES, type Role, type RoleName, type RolePolicy } from "./roles.js";
