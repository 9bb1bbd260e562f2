export { overhead } from "./overhead.js";
export { bare, ours } from "./prefix-session.js";
