import { ContextOverflowError } from "@langchain/core/errors";
import { isRecord, plain } from "./json.js";

/** An error as a cassette keeps it: what programs decide by. */
export interface CassetteFailure {
  name: string;
  message: string;
  fields: Record<string, unknown>;
  /** Headers of the response that say when to come again, and which request it was. */
  headers?: Record<string, string>;
  cause?: CassetteFailure;
}

const FIELDS = ["status", "code", "type", "param", "error", "lc_error_code", "errno", "syscall"] as const;
const HEADERS = ["retry-after", "retry-after-ms", "x-should-retry", "request-id", "x-request-id"];
const MAX_CAUSES = 8;

const headersOf = (headers: unknown): Record<string, string> => {
  const get = (name: string): unknown =>
    headers instanceof Headers ? headers.get(name) : isRecord(headers) ? headers[name] : undefined;
  return Object.fromEntries(
    HEADERS.flatMap((name) => {
      const value = get(name);
      return typeof value === "string" ? [[name, value]] : [];
    }),
  );
};

export const failureOf = (error: unknown, depth = 0): CassetteFailure => {
  if (!(error instanceof Error))
    return {
      name: "NonError",
      message: typeof error === "string" ? error : JSON.stringify(error),
      fields: {},
    };
  const record = error as unknown as Record<string, unknown>;
  const headers = headersOf(record["headers"]);
  return {
    name: error.name,
    message: error.message,
    fields: plain(
      Object.fromEntries(FIELDS.flatMap((key) => (record[key] === undefined ? [] : [[key, record[key]]]))),
    ) as Record<string, unknown>,
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    ...(error.cause === undefined || depth >= MAX_CAUSES ? {} : { cause: failureOf(error.cause, depth + 1) }),
  };
};

/** The error again: not the client's class, but its name, message, status, code, type, body, headers and causes. */
export const errorOf = (failure: CassetteFailure): unknown => {
  if (failure.name === "NonError") return failure.message;
  const { name, message, fields, headers, cause } = failure;
  const options = cause === undefined ? {} : { cause: errorOf(cause) };
  // A client of today turns it into this class, by which summarizers know what to do.
  const error =
    name === "ContextOverflowError"
      ? Object.assign(new ContextOverflowError(message), options)
      : new Error(message, options);
  if (error.name !== name) Object.defineProperty(error, "name", { value: name, configurable: true });
  return Object.assign(error, fields, headers === undefined ? {} : { headers: new Headers(headers) });
};
