import type { FailureReason } from "@fiveseam/failover";
import type { Behaviour } from "./emulator.js";

/** A status's usual words at each vendor: type, code and message, as their documents have them. */
interface Words {
  anthropic: readonly [type: string, message: string];
  openai: readonly [type: string, code: string | null, message: string];
  google: readonly [status: string, message: string];
  glm: readonly [code: string, message: string];
}

const WORDS: Readonly<Record<number, Words>> = {
  401: {
    anthropic: ["authentication_error", "invalid x-api-key"],
    openai: ["invalid_request_error", "invalid_api_key", "Incorrect API key provided."],
    google: ["UNAUTHENTICATED", "Request had invalid authentication credentials."],
    glm: ["1000", "Authentication Failed"],
  },
  402: {
    anthropic: ["billing_error", "Your account has a billing issue."],
    openai: ["insufficient_balance", "insufficient_balance", "Insufficient Balance"],
    google: ["FAILED_PRECONDITION", "Billing is not enabled for this project."],
    glm: ["1113", "Insufficient balance or no resource package. Please recharge."],
  },
  403: {
    anthropic: ["permission_error", "Your API key does not have permission to use the specified resource."],
    openai: ["permission_error", null, "You have insufficient permissions for this operation."],
    google: ["PERMISSION_DENIED", "The caller does not have permission"],
    glm: ["1220", "You do not have permission to access this API"],
  },
  404: {
    anthropic: ["not_found_error", "model: some-model"],
    openai: [
      "invalid_request_error",
      "model_not_found",
      "The model `some-model` does not exist or you do not have access to it.",
    ],
    google: ["NOT_FOUND", "models/some-model is not found for API version v1beta"],
    glm: ["1211", "Unknown Model, please check the model code."],
  },
  408: {
    anthropic: ["timeout_error", "Request timed out"],
    openai: ["request_timeout", null, "Request timed out."],
    google: ["DEADLINE_EXCEEDED", "Deadline expired before operation could complete."],
    glm: ["500", "Request timed out"],
  },
  413: {
    anthropic: ["request_too_large", "Request exceeds the maximum size"],
    openai: ["invalid_request_error", null, "Request body too large"],
    google: ["INVALID_ARGUMENT", "Request payload size exceeds the limit: 20971520 bytes."],
    glm: ["413", "Request body too large"],
  },
  429: {
    anthropic: ["rate_limit_error", "This request would exceed your organization's rate limit."],
    openai: ["requests", "rate_limit_exceeded", "Rate limit reached for requests per minute."],
    google: ["RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota)."],
    glm: ["1302", "Rate limit reached for requests"],
  },
  500: {
    anthropic: ["api_error", "Internal server error"],
    openai: ["server_error", null, "The server had an error while processing your request."],
    google: ["INTERNAL", "An internal error has occurred."],
    glm: ["500", "Internal server error"],
  },
  502: {
    anthropic: ["api_error", "Bad gateway"],
    openai: ["server_error", null, "Bad gateway"],
    google: ["UNAVAILABLE", "Bad gateway"],
    glm: ["500", "Bad gateway"],
  },
  503: {
    anthropic: ["api_error", "Service unavailable"],
    openai: ["server_error", null, "The engine is currently overloaded, please try again later."],
    google: ["UNAVAILABLE", "The model is overloaded. Please try again later."],
    glm: ["1305", "The service may be temporarily overloaded, please try again later"],
  },
  529: {
    anthropic: ["overloaded_error", "Overloaded"],
    openai: ["server_error", null, "Overloaded"],
    google: ["UNAVAILABLE", "The model is overloaded."],
    glm: ["500", "Overloaded"],
  },
};

/** The body of an error as the vendor would write it. */
export const errorBody = (provider: string, status: number, details?: readonly unknown[]): unknown => {
  const words = WORDS[status];
  if (!words) throw new Error(`no words for ${status}`);
  const [type, code, message] = words.openai;
  switch (provider) {
    case "anthropic":
      return {
        type: "error",
        error: { type: words.anthropic[0], message: words.anthropic[1] },
        request_id: "req_1",
      };
    case "gemini":
      return {
        error: {
          code: status,
          message: words.google[1],
          status: words.google[0],
          ...(details ? { details } : {}),
        },
      };
    case "glm":
      return { error: { code: words.glm[0], message: words.glm[1] } };
    case "xai":
      return { code: type, error: message };
    case "openrouter":
      return { error: { code: status, message, metadata: { provider_name: "Some" } }, user_id: "user_1" };
    case "azure":
      return { error: { code: String(code ?? status), message } };
    case "qwen":
      return { error: { message, type, param: null, code }, request_id: "r-1" };
    default:
      return { error: { message, type, param: null, code } };
  }
};

const PAGE =
  "<html><head><title>502 Bad Gateway</title></head><body><center><h1>502 Bad Gateway</h1></center><hr>nginx</body></html>";

/** An event in the middle of a stream that says the provider is overloaded. */
const eventBody = (provider: string): unknown =>
  provider === "openai-responses"
    ? {
        type: "error",
        code: "server_error",
        message: "The server is overloaded.",
        param: null,
        sequence_number: 3,
      }
    : errorBody(provider === "xai" ? "openai" : provider, provider === "anthropic" ? 529 : 503);

const LANDING_PAGE = "<html><body>Welcome to our network</body></html>";

export interface FailureCase {
  name: string;
  reason: FailureReason;
  retryAfterMs?: number;
  /** The limit that the case waits for. */
  timeoutMs?: number;
  /** Only seen when the answer is streamed. */
  streamed?: boolean;
  behaviour: (provider: string) => Behaviour;
}

const status = (code: number, reason: FailureReason): FailureCase => ({
  name: String(code),
  reason,
  behaviour: (provider) => ({ kind: "error", status: code, body: errorBody(provider, code) }),
});

export const FAILURES: readonly FailureCase[] = [
  status(401, "auth"),
  status(402, "billing"),
  status(403, "auth"),
  status(404, "model_not_found"),
  status(408, "timeout"),
  status(413, "context_overflow"),
  status(429, "rate_limit"),
  {
    name: "429 with Retry-After",
    reason: "rate_limit",
    retryAfterMs: 7000,
    behaviour: (provider) => ({
      kind: "error",
      status: 429,
      headers: { "retry-after": "7" },
      // Google's SDK keeps no headers of an error, and Google says it in the body.
      body: errorBody(provider, 429, [
        { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "7s" },
      ]),
    }),
  },
  status(500, "overloaded"),
  status(502, "overloaded"),
  status(503, "overloaded"),
  status(529, "overloaded"),
  {
    name: "an HTML page with 502",
    reason: "overloaded",
    behaviour: () => ({ kind: "error", status: 502, body: PAGE }),
  },
  {
    name: "an HTML page with 200",
    reason: "unknown",
    behaviour: () => ({ kind: "error", status: 200, body: LANDING_PAGE }),
  },
  { name: "no answer", reason: "timeout", timeoutMs: 100, behaviour: () => ({ kind: "silence" }) },
  {
    name: "a stalled stream",
    reason: "timeout",
    timeoutMs: 100,
    streamed: true,
    behaviour: () => ({ kind: "stall" }),
  },
  { name: "a reset connection", reason: "network", behaviour: () => ({ kind: "reset" }) },
  {
    name: "a connection reset in the middle of a stream",
    reason: "network",
    streamed: true,
    behaviour: () => ({ kind: "reset", afterFirstPiece: true }),
  },
  {
    name: "an error in the middle of a stream",
    reason: "overloaded",
    streamed: true,
    behaviour: (provider) => ({ kind: "error_event", body: eventBody(provider) }),
  },
];
