import type { FailureRule } from "../rule.js";

const TIMER_ERRNOS = [
  "ETIMEDOUT",
  "ESOCKETTIMEDOUT",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
];
const TIMER_NAMES = [
  "timeouterror",
  "apitimeouterror",
  "apiconnectiontimeouterror",
  "connecttimeouterror",
  "headerstimeouterror",
  "bodytimeouterror",
  "requesttimeouterror",
  "readtimeouterror",
  "readtimeout",
  "modeltimeoutexception",
];
const TIMER_TEXT = /\btim(?:ed?|ing)[ -]?out\b|\btimeout\b|\bdeadline exceeded\b/;

/** What stops a run on purpose. */
export const ABORT_RULES: readonly FailureRule[] = [
  {
    name: "graph-control-flow",
    provider: "langgraph",
    example: { name: "GraphInterrupt", message: "[]" },
    counterExample: { name: "AbortError", message: "This operation was aborted" },
    match: {
      anyOf: [
        {
          names: [
            "graphinterrupt",
            "nodeinterrupt",
            "graphbubbleup",
            "parentcommand",
            "graphrecursionerror",
            "graphvalueerror",
            "invalidupdateerror",
            "emptyinputerror",
            "emptychannelerror",
            "unreachablenodeerror",
          ],
        },
        {
          codes: [
            "graph_recursion_limit",
            "invalid_concurrent_graph_update",
            "invalid_graph_node_return_value",
            "missing_checkpointer",
            "multiple_subgraphs",
            "unreachable_node",
          ],
        },
      ],
    },
    outcome: { reason: "not_provider_failure" },
  },
  {
    name: "user-abort",
    provider: "any",
    example: { name: "AbortError", message: "This operation was aborted" },
    counterExample: {
      name: "AbortError",
      message: "The operation was aborted",
      cause: { name: "TimeoutError" },
    },
    match: {
      withoutStatus: true,
      anyOf: [
        { names: ["aborterror", "apiuseraborterror", "modelaborterror", "cancelederror", "cancellederror"] },
        { codes: ["abort_err", "err_canceled", "err_aborted", "model_aborted"] },
        {
          text: /^(?:(?:api )?error: )?(?:request was aborted|the user aborted a request|(?:this |the )?operation (?:was )?aborted|canceled|aborted)\.?$/m,
        },
      ],
      // Node's AbortSignal.timeout() and undici abort too, and then they say so.
      not: { anyOf: [{ names: TIMER_NAMES }, { errnos: TIMER_ERRNOS }, { text: TIMER_TEXT }] },
    },
    outcome: { reason: "user_abort" },
  },
];

const TLS_ERRNOS = [
  "CERT_HAS_EXPIRED",
  "CERT_NOT_YET_VALID",
  "CERT_UNTRUSTED",
  "CERT_REVOKED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "CERT_SIGNATURE_FAILURE",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "ERR_SSL_WRONG_VERSION_NUMBER",
  "ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION",
  "EPROTO",
];
const LINK_ERRNOS = [
  "ECONNRESET",
  "ECONNREFUSED",
  "ECONNABORTED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EPIPE",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENETDOWN",
  "EHOSTDOWN",
  "UND_ERR_SOCKET",
  "UND_ERR_CLOSED",
  "UND_ERR_DESTROYED",
  "UND_ERR_RES_CONTENT_LENGTH_MISMATCH",
  "ERR_STREAM_PREMATURE_CLOSE",
  "ERR_HTTP2_STREAM_ERROR",
  "ERR_HTTP2_SESSION_ERROR",
  "ERR_HTTP2_GOAWAY_SESSION",
  "ERR_NETWORK",
  "ERR_INTERNET_DISCONNECTED",
  "ERR_SOCKET_CLOSED",
  "HPE_INVALID_CONSTANT",
];

/** The line to the provider. A status beats them: then something did answer. */
export const LINK_RULES: readonly FailureRule[] = [
  {
    name: "timer-ran-out",
    provider: "any",
    example: {
      message: "Connection error.",
      cause: { code: "ETIMEDOUT", message: "connect ETIMEDOUT 10.0.0.1:443" },
    },
    counterExample: { message: "Connection error.", cause: { code: "ECONNRESET" } },
    match: { withoutStatus: true, anyOf: [{ names: TIMER_NAMES }, { errnos: TIMER_ERRNOS }] },
    outcome: { reason: "timeout" },
  },
  {
    name: "tls-trust",
    provider: "any",
    example: { message: "fetch failed", cause: { code: "SELF_SIGNED_CERT_IN_CHAIN" } },
    counterExample: { message: "fetch failed", cause: { code: "ECONNRESET" } },
    match: {
      withoutStatus: true,
      anyOf: [
        { errnos: TLS_ERRNOS },
        {
          text: /self[- ]signed certificate|unable to (?:get local issuer|verify the first) certificate|certificate (?:has expired|verify failed)|certificate_verify_failed|hostname\/ip does not match certificate|wrong version number/,
        },
      ],
    },
    outcome: { reason: "network", retryable: false },
  },
  {
    name: "link-errno",
    provider: "any",
    example: { name: "TypeError", message: "fetch failed", cause: { code: "ECONNREFUSED", port: 11434 } },
    counterExample: { status: 502, message: "connect ECONNREFUSED 10.0.0.1:80" },
    match: {
      withoutStatus: true,
      errnos: LINK_ERRNOS,
      not: { text: /timeout of \d+ ?ms exceeded|\btimed out\b/ },
    },
    outcome: { reason: "network" },
  },
];
