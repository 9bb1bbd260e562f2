import type { FailureRule } from "../rule.js";

/** Words of money strong enough to beat a code that only says "too many". */
const BILLING_WORDS =
  /insufficient balance|credit balance|out of credits|余额不足|欠费|please recharge|exceeded budget|budget has been exceeded/;

const THROTTLE_CODES = [
  "rate_limit_exceeded",
  "rate_limited",
  "rate_limit_reached_error",
  "rate_limit_reached",
  "too_many_requests",
  "too_many_requests_error",
  "queue_exceeded",
  "throttling",
  "throttling.ratequota",
  "throttling.burstrate",
  "throttling.user",
  "throttling_error",
  "limit_burst_rate",
  "limit_requests",
  "1302",
  "1303",
];
const THROTTLE_NAMES = ["throttlingexception", "toomanyrequestsexception", "servicequotaexceededexception"];

/** Codes about how much: of a plan, of a minute, of a server; and of one field of a request. */
export const CAPACITY_CODE_RULES: readonly FailureRule[] = [
  {
    name: "plan-window-code",
    provider: "openai-codex, glm",
    example: { status: 429, error: { type: "usage_limit_reached", resets_in_seconds: 602705 } },
    counterExample: { status: 429, error: { code: "1302", message: "High concurrency" } },
    match: {
      codes: [
        "usage_limit_reached",
        "usage_limit_exceeded",
        "usage_not_included",
        "setlimitexceeded",
        "1304",
        "1308",
        "1310",
        "1316",
        "1317",
      ],
    },
    outcome: { reason: "rate_limit", retryable: false },
  },
  {
    name: "one-request-above-the-minute",
    provider: "groq",
    example: {
      status: 413,
      code: "rate_limit_exceeded",
      message: "413 Request too large for model `x` on tokens per minute (TPM): Limit 6000, Requested 14368",
    },
    counterExample: { status: 413, message: "413 Request Entity Too Large" },
    match: {
      text: /request too large for[^\n]*\b(?:tokens|requests) per (?:min|minute|day)\b|request too large for[^\n]*\b(?:tpm|tpd)\b|limit \d+, requested \d+[^\n]*reduce your message size/,
    },
    // The request alone exceeds the allowance: waiting never helps.
    outcome: { reason: "rate_limit", retryable: false },
  },
  {
    name: "overload-code",
    provider: "any",
    example: { status: 429, error: { type: "engine_overloaded_error", message: "try again later" } },
    counterExample: { status: 429, error: { type: "rate_limit_error", message: "try again later" } },
    match: {
      anyOf: [
        {
          codes: [
            "overloaded_error",
            "engine_overloaded_error",
            "engine_overloaded",
            "server_overloaded",
            "server_is_overloaded",
            "slow_down",
            "model_overloaded",
            "capacity_exceeded",
            "service_unavailable_error",
            "serviceunavailable",
            "unavailable_error",
            "no_available_accounts",
            "modelservingerror",
            "1305",
            "1312",
            "1234",
          ],
        },
        {
          names: [
            "overloadederror",
            "modelnotreadyexception",
            "serviceunavailableexception",
            "serviceunavailableerror",
          ],
        },
      ],
    },
    outcome: { reason: "overloaded" },
  },
  {
    name: "throttled-for-the-day",
    provider: "bedrock, groq, openai",
    example: {
      name: "ThrottlingException",
      message: "Too many tokens per day, please wait before trying again.",
    },
    counterExample: {
      name: "ThrottlingException",
      message: "Too many tokens, please wait before trying again.",
    },
    match: {
      anyOf: [{ codes: THROTTLE_CODES }, { names: THROTTLE_NAMES }],
      text: /\bper (?:day|week|month)\b|\b(?:rpd|tpd)\b|\bdaily\b/,
      not: { text: BILLING_WORDS },
    },
    outcome: { reason: "rate_limit", retryable: false },
  },
  {
    name: "throttle-code",
    provider: "any",
    example: { code: "rate_limit_exceeded", message: "Rate limit reached on tokens per min" },
    counterExample: { code: "insufficient_quota", message: "You exceeded your current quota" },
    match: {
      anyOf: [{ codes: THROTTLE_CODES }, { names: THROTTLE_NAMES }],
      not: { text: BILLING_WORDS },
    },
    outcome: { reason: "rate_limit" },
  },
  {
    name: "request-code",
    provider: "any",
    example: { status: 400, code: "unsupported_parameter", message: "400 max_tokens is not supported" },
    counterExample: {
      status: 400,
      code: "invalid_request_error",
      message: "400 prompt is too long: 5 tokens > 4",
    },
    match: {
      codes: [
        "unsupported_parameter",
        "tool_use_failed",
        "json_validate_failed",
        "invalid_function_parameters",
        "invalid_json_schema",
        "invalid_image",
        "invalid_image_url",
        "missing_required_parameter",
        "unknown_parameter",
        "invalid_type",
        "integer_above_max_value",
        "integer_below_min_value",
        "array_above_max_length",
        "1210",
        "1212",
        "1213",
        "1214",
        "1215",
      ],
    },
    outcome: { reason: "invalid_request" },
  },
];
