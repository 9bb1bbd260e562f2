/** OpenAI's words by status, as seen from the API in 2025 and 2026. */
const KNOWN: Record<number, { message: string; type: string; code: string | null }> = {
  400: { message: "Invalid request.", type: "invalid_request_error", code: null },
  401: {
    message:
      "Incorrect API key provided. You can find your API key at https://platform.openai.com/account/api-keys.",
    type: "invalid_request_error",
    code: "invalid_api_key",
  },
  403: {
    message: "Project does not have access to this model.",
    type: "invalid_request_error",
    code: "model_not_found",
  },
  404: {
    message: "The model does not exist or you do not have access to it.",
    type: "invalid_request_error",
    code: "model_not_found",
  },
  429: {
    message: "Rate limit reached for requests. Please try again later.",
    type: "requests",
    code: "rate_limit_exceeded",
  },
  500: {
    message: "The server had an error while processing your request. Sorry about that!",
    type: "server_error",
    code: null,
  },
  503: {
    message: "The engine is currently overloaded, please try again later.",
    type: "server_error",
    code: "service_unavailable",
  },
};
const BY_CODE: Record<string, { message: string; type: string }> = {
  insufficient_quota: {
    message: "You exceeded your current quota, please check your plan and billing details.",
    type: "insufficient_quota",
  },
  context_length_exceeded: {
    message:
      "This model's maximum context length is 128000 tokens. Please reduce the length of the messages.",
    type: "invalid_request_error",
  },
};

export const openAIError = (status: number, message?: string, code?: string): Record<string, unknown> => {
  const known = KNOWN[status] ?? {
    message: "Error.",
    type: status < 500 ? "invalid_request_error" : "server_error",
    code: null,
  };
  const special = code === undefined ? undefined : BY_CODE[code];
  return {
    error: {
      message: message ?? special?.message ?? known.message,
      type: special?.type ?? known.type,
      param: null,
      code: code ?? known.code,
    },
  };
};
