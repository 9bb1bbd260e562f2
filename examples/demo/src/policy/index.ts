export { ATTEMPT_LIMIT } from "./main-agent.js";
export { demoPolicy } from "./policy.js";
export { FENCES_TASK } from "./fences.js";
