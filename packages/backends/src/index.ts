export {
  createCodingBackend,
  DOCS_ROUTE,
  HARNESS_ROUTES,
  HISTORY_ROUTE,
  LARGE_RESULTS_ROUTE,
  WORKSPACE_ROUTE,
  type CodingBackendOptions,
} from "./coding-backend.js";
export { readOnly, type ReadOnlyOptions } from "./read-only.js";
export { canonicalPath, isWithin } from "./canonical-path.js";
export { BackendError, type BackendErrorCode } from "./errors.js";
