import type { FailureRule } from "../rule.js";

/** Types, statuses and class names that say the kind but not the cause. */
export const GENERIC_RULES: readonly FailureRule[] = [
  {
    name: "answer-not-as-asked",
    provider: "any, by LangChain's output parsers",
    example: {
      name: "OutputParserException",
      lc_error_code: "OUTPUT_PARSING_FAILURE",
      message: 'Failed to parse. Text: "Sure!". Error: SyntaxError: Unexpected end of JSON input',
    },
    counterExample: { name: "SyntaxError", message: "Unexpected end of JSON input" },
    match: { anyOf: [{ names: ["outputparserexception"] }, { codes: ["output_parsing_failure"] }] },
    outcome: { reason: "not_provider_failure", retryable: false },
  },
  {
    name: "page-instead-of-json",
    provider: "proxies and gateways that answer 200",
    example: { name: "SyntaxError", message: "Unexpected token '<', \"<!DOCTYPE \"... is not valid JSON" },
    counterExample: { name: "SyntaxError", message: "Unexpected token 'x', \"x\" is not valid JSON" },
    match: { text: /unexpected token '?<'?,? .*(?:<!doctype|<html|is not valid json)/ },
    outcome: { reason: "network" },
  },
  {
    name: "unsendable-header",
    provider: "undici",
    example: {
      name: "TypeError",
      message: "Cannot convert argument to a ByteString because the character at index 7 has a value of 8230",
    },
    counterExample: { name: "TypeError", message: "fetch failed" },
    match: { text: /cannot convert argument to a bytestring|invalid (?:header value|character in header)/ },
    outcome: { reason: "auth" },
  },
  {
    name: "half-a-stream",
    provider: "any, by the clients of @fiveseam/models",
    example: { name: "ProviderStreamError", code: "stream_cut", message: "The stream ended in the middle." },
    counterExample: { name: "ProviderStreamError", code: "stream_error", message: "x broke off its answer." },
    match: { codes: ["stream_cut"] },
    outcome: { reason: "network" },
  },
  {
    name: "gateway-timer",
    provider: "cloudflare, nginx, google",
    example: { status: 524, message: "524: A timeout occurred" },
    counterExample: { status: 502, message: "502 Bad Gateway" },
    match: {
      anyOf: [
        { status: [408, 504, 522, 524, 598, 599] },
        {
          codes: [
            "timeout_error",
            "deadline_exceeded",
            "gateway_timeout",
            "cf_gateway_timeout",
            "request_timeout",
            "timeout",
          ],
        },
      ],
    },
    outcome: { reason: "timeout" },
  },
  {
    name: "local-model-cannot-start",
    provider: "ollama, docker model runner",
    example: {
      status: 500,
      message: "500 model requires more system memory (2.7 GiB) than is available (2.3 GiB)",
    },
    counterExample: { status: 500, message: "500 model runner has unexpectedly stopped" },
    match: {
      statusBetween: [500, 599],
      text: /requires more system memory|unable to load (?:model|runner)|failed to load model|error loading model|out of memory|unable to allocate|cudamalloc failed/,
    },
    outcome: { reason: "overloaded", retryable: false, serverError: true },
  },
  {
    name: "overload-words",
    provider: "any",
    example: { status: 503, message: "503 The engine is currently overloaded, please try again later" },
    counterExample: {
      status: 429,
      error: { type: "rate_limit_error", message: "The engine is currently overloaded" },
    },
    match: {
      text: /overloaded|(?:at|over|exceeded|insufficient|no|limited|out of) capacity|capacity (?:exceeded|constraints|is|limit)|server (?:is )?(?:busy|overload)|high (?:traffic|demand|load)|loading model|model is (?:currently )?loading|still loading|is warming up|not ready to serve|unable to process your request|maximum pending requests|服务器繁忙|负载|访问量过大|(?<!service )temporarily unavailable|try again shortly|no healthy upstream|model is unloaded/,
      not: {
        anyOf: [
          { codes: ["rate_limit_error"] },
          { status: [400, 401, 402, 403, 404, 422] },
          { text: /rate[ _-]?limit(?:ed)? (?:reached|exceeded|upstream)/ },
        ],
      },
    },
    outcome: { reason: "overloaded" },
  },
  {
    name: "throttle-status",
    provider: "any",
    example: { status: 429, message: "429 status code (no body)" },
    counterExample: { status: 503, message: "503 status code (no body)" },
    match: {
      anyOf: [
        { status: [429] },
        {
          codes: ["rate_limit_error", "resource_exhausted", "model_rate_limit"],
          not: { statusBetween: [500, 599] },
        },
        { withoutStatus: true, names: ["ratelimiterror", "resourceexhausted", "airatelimiterror"] },
      ],
    },
    outcome: { reason: "rate_limit" },
  },
  {
    name: "payment-status",
    provider: "any",
    example: { status: 402, message: "402 Insufficient" },
    counterExample: { status: 403, message: "403 Forbidden" },
    match: { status: [402] },
    outcome: { reason: "billing" },
  },
  {
    name: "credential-type",
    provider: "anthropic",
    example: { error: { type: "authentication_error", message: "Please check the header" } },
    counterExample: { error: { type: "not_found_error", message: "model: claude" } },
    match: {
      anyOf: [
        { status: [401] },
        {
          codes: ["authentication_error", "unauthenticated", "unauthorized"],
          not: { statusBetween: [500, 599] },
        },
        { withoutStatus: true, names: ["authenticationerror", "unauthorizederror"] },
      ],
    },
    outcome: { reason: "auth" },
  },
  {
    name: "forbidden",
    provider: "any",
    example: { status: 403, message: '403 {"error":{"type":"forbidden","message":"Request not allowed"}}' },
    counterExample: { status: 404, message: "404 Not Found" },
    match: {
      anyOf: [
        { status: [403, 451] },
        {
          codes: ["permission_error", "permission_denied", "access_denied", "accessdenied", "forbidden"],
          not: { statusBetween: [500, 599] },
        },
        {
          withoutStatus: true,
          names: ["permissiondeniederror", "accessdeniedexception", "permissiondenied"],
        },
      ],
    },
    outcome: { reason: "auth" },
  },
  {
    name: "not-found",
    provider: "any",
    example: { status: 404, error: { type: "not_found_error", message: "model: claude-3-5-sonnet" } },
    counterExample: { status: 400, error: { type: "invalid_request_error", message: "messages: required" } },
    match: {
      anyOf: [
        { status: [404, 410] },
        { codes: ["not_found_error", "not_found"], not: { statusBetween: [400, 599] } },
        { withoutStatus: true, names: ["notfounderror"] },
      ],
    },
    outcome: { reason: "model_not_found" },
  },
  {
    name: "too-large",
    provider: "nginx and others",
    example: { status: 413, message: "413 status code (no body)" },
    counterExample: { status: 414, message: "414 URI Too Long" },
    match: { status: [413] },
    outcome: { reason: "context_overflow" },
  },
  {
    name: "throttle-words",
    provider: "any",
    example: { message: "Rate limit reached for model `x`. Please try again in 1m47.5854s." },
    counterExample: { message: "Something went wrong" },
    match: {
      text: /rate[ _-]?limit|too many requests|too many concurrent|quota exceeded|exceeded (?:your|the) (?:\w+ )?quota|resource (?:has been )?exhausted|throttl|concurrency (?:limit|usage)|requests? limit|slow down|tokens per min|速率限制|请求过于频繁|并发/,
      not: { statusBetween: [400, 599] },
    },
    outcome: { reason: "rate_limit" },
  },
  {
    name: "busy-status",
    provider: "any",
    example: { status: 529, message: "529 status code (no body)" },
    counterExample: { status: 520, message: "520 status code (no body)" },
    match: { status: [498, 529] },
    outcome: { reason: "overloaded" },
  },
  {
    name: "server-status",
    provider: "any",
    example: { status: 500, message: "500 Internal server error" },
    counterExample: { status: 504, message: "504 Gateway Time-out" },
    match: { statusBetween: [500, 599] },
    outcome: { reason: "overloaded", serverError: true },
  },
  {
    name: "conflict-status",
    provider: "any",
    example: { status: 409, message: "409 Conflict" },
    counterExample: { status: 422, message: "422 Unprocessable" },
    match: { status: [409, 423, 425] },
    outcome: { reason: "overloaded" },
  },
  {
    name: "server-type",
    provider: "openai, anthropic, google, aws",
    example: { error: { type: "api_error", message: "Internal server error" } },
    counterExample: { error: { type: "invalid_request_error", message: "Internal field" } },
    match: {
      withoutStatus: true,
      anyOf: [
        {
          codes: [
            "api_error",
            "server_error",
            "internal_error",
            "internal_server_error",
            "internal",
            "upstream_error",
            "unavailable",
          ],
        },
        {
          names: [
            "internalservererror",
            "internalserverexception",
            "modelstreamerrorexception",
            "modelerrorexception",
            "apierror",
          ],
          text: /internal|server error|unexpected/,
        },
        {
          text: /internal server error|server had an error|internal error (?:has )?occurred|service unavailable|bad gateway|an error occurred while processing your request|upstream (?:connect )?error/,
        },
      ],
    },
    outcome: { reason: "overloaded", serverError: true },
  },
  {
    name: "timer-words",
    provider: "any",
    example: { message: "fetch failed | Headers Timeout Error" },
    counterExample: { message: "terminated" },
    match: {
      withoutStatus: true,
      text: /\btimed out\b|\btimeout\b|time-?out|deadline exceeded|超时/,
    },
    outcome: { reason: "timeout" },
  },
  {
    name: "link-words",
    provider: "any",
    example: {
      name: "TypeError",
      message: "terminated",
      cause: { name: "SocketError", message: "other side closed" },
    },
    counterExample: { message: "The process was killed" },
    match: {
      withoutStatus: true,
      anyOf: [
        {
          names: [
            "apiconnectionerror",
            "socketerror",
            "fetcherror",
            "connectionerror",
            "connecterror",
            "remoteprotocolerror",
            "clientconnectorerror",
            "readerror",
            "sslerror",
          ],
        },
        {
          text: /connection error|fetch failed|^(?:error: |typeerror: )?terminated$|socket hang up|other side closed|premature close|network (?:error|request failed|connection)|failed to fetch|connection (?:was )?(?:refused|reset|closed|terminated|lost|aborted|failed)|(?:could not|failed to|unable to|cannot) connect|getaddrinfo|dns|peer closed connection|incomplete chunked read|stream (?:ended|closed|was (?:reset|destroyed))|server disconnected|econn|error sending request|unexpected end of (?:json input|stream|file)|load failed|proxy error|tunneling socket|unexpected eof|网络/m,
        },
        // @google/generative-ai 0.24 keeps no cause of a connection that broke in the middle of a stream.
        { text: /error reading from the stream/ },
      ],
    },
    outcome: { reason: "network" },
  },
  {
    name: "bad-request",
    provider: "any",
    example: { status: 400, error: { type: "invalid_request_error", message: "messages: required" } },
    counterExample: { message: "Something went wrong" },
    match: {
      anyOf: [
        { statusBetween: [400, 499] },
        {
          codes: [
            "invalid_request_error",
            "invalid_argument",
            "failed_precondition",
            "invalidparameter",
            "invalid_parameter_error",
            "badrequest",
            "bad_request",
            "invalid_tool_results",
            "output_parsing_failure",
            "validation_error",
            "internalerror.algo.invalidparameter",
          ],
        },
        {
          names: [
            "badrequesterror",
            "unprocessableentityerror",
            "validationexception",
            "invalidrequesterror",
            "unsupportedparamserror",
            "jsonschemavalidationerror",
            "invalidargument",
          ],
        },
        {
          text: /invalid (?:request|argument|parameter|schema|type|json|value|role)|does not support (?:tools?|images?|thinking|function)|not supported (?:with|by) this model|failed to deserialize|missing (?:required )?(?:field|parameter)|must be (?:a |an |one of )|bad request|unsupported (?:parameter|value|content)|malformed/,
        },
      ],
    },
    outcome: { reason: "invalid_request" },
  },
];
