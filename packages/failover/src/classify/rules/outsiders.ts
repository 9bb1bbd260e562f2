import type { FailureRule } from "../rule.js";

/**
 * Failures of tools, programs and other services, told by their own marks. Asked only when the origin is not known: a
 * provider's message may well quote one.
 */
export const OUTSIDER_RULES: readonly FailureRule[] = [
  {
    name: "file-system-or-process",
    provider: "node",
    example: {
      code: "ENOENT",
      syscall: "open",
      message: "ENOENT: no such file or directory, open '/a/auth.ts'",
    },
    counterExample: {
      code: "ENOTFOUND",
      syscall: "getaddrinfo",
      message: "getaddrinfo ENOTFOUND api.openai.com",
    },
    match: {
      anyOf: [
        {
          errnos: [
            "ENOENT",
            "EACCES",
            "EPERM",
            "ENOSPC",
            "EADDRINUSE",
            "EISDIR",
            "ENOTDIR",
            "EEXIST",
            "EMFILE",
            "ENFILE",
            "EROFS",
            "ENOTEMPTY",
            "EBUSY",
            "ENOEXEC",
            "E2BIG",
            "ENOMEM",
            "ELOOP",
            "EBADF",
            "EDQUOT",
            "ERR_MODULE_NOT_FOUND",
            "MODULE_NOT_FOUND",
            "ERR_INVALID_ARG_TYPE",
            "ERR_CHILD_PROCESS_STDIO_MAXBUFFER",
          ],
        },
        {
          place:
            /^(?:spawn|spawnsync|open|listen|read|write|stat|lstat|mkdir|scandir|unlink|rename|access|uv_\w+|kill)\b/,
        },
        { fields: ["spawnargs"] },
      ],
    },
    outcome: { reason: "not_provider_failure" },
  },
  {
    name: "command-output",
    provider: "none",
    example: { code: 1, message: "Command failed: npm test\nExpected status 401, got 503" },
    counterExample: { message: "401 Unauthorized" },
    match: {
      text: /^(?:error: )?command failed(?: with exit code \d+)?:|^npm (?:err!|error) |^fatal: |error ts\d{4}:|exceeded timeout of \d+ ?ms for a test|^traceback \(most recent call last\)[^]*\b(?:modulenotfounderror|assertionerror|filenotfounderror)\b|^\S+: (?:command not found|no such file or directory|permission denied)$|\bcat: |^(?:bash|sh|zsh): /m,
      not: { text: /litellm|openai|anthropic/ },
    },
    outcome: { reason: "not_provider_failure" },
  },
  {
    name: "tool-server",
    provider: "mcp",
    example: { name: "McpError", code: -32001, message: "MCP error -32001: Request timed out" },
    counterExample: { name: "APIConnectionTimeoutError", message: "Request timed out." },
    match: {
      anyOf: [
        {
          names: [
            "mcperror",
            "toolexception",
            "toolinputparsingexception",
            "toolinvocationerror",
            "zoderror",
            "$zoderror",
            "assertionerror",
            "referenceerror",
            "rangeerror",
            "pathsecurityerror",
          ],
        },
        { text: /^(?:error: )?mcp error -?\d+|use offset and limit|read specific portions of the file/m },
      ],
    },
    outcome: { reason: "not_provider_failure" },
  },
  {
    name: "other-web-service",
    provider: "github and others",
    example: {
      status: 403,
      message: "API rate limit exceeded for 203.0.113.7.",
      response: { data: { documentation_url: "https://docs.github.com/rest" } },
    },
    counterExample: { status: 429, message: "Rate limit exceeded", response: { data: {} } },
    match: {
      anyOf: [
        {
          place:
            /\b(?:api\.github\.com|docs\.github\.com|registry\.npmjs\.org|gitlab\.com|bitbucket\.org|pypi\.org|slack\.com|atlassian\.net|sentry\.io)\b/,
        },
        { header: "x-github-request-id", not: { text: /copilot/ } },
        {
          text: /api rate limit exceeded for (?:user|\d)|secondary rate limit|api\.github\.com|docker\.io\/|pull rate limit|docs\.github\.com\/rest|registry\.npmjs\.org|could not resolve host: (?:github|gitlab)/,
        },
      ],
    },
    outcome: { reason: "not_provider_failure" },
  },
  {
    name: "database",
    provider: "databases",
    example: { name: "error", severity: "FATAL", code: "53300", message: "sorry, too many clients already" },
    counterExample: { status: 429, message: "too many requests" },
    match: {
      anyOf: [
        { fields: ["severity"], text: /./ },
        {
          codes: [
            "sqlite_busy",
            "sqlite_full",
            "sqlite_corrupt",
            "sqlite_readonly",
            "er_access_denied_error",
          ],
        },
        { text: /econnrefused [\d.:[\]a-f]+:(?:5432|3306|6379|27017|1433|9200|5672)\b/ },
      ],
    },
    outcome: { reason: "not_provider_failure" },
  },
];
