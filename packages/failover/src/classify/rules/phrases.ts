import type { Condition, FailureRule } from "../rule.js";

const THROTTLED: Condition = {
  anyOf: [
    { status: [429] },
    { codes: ["rate_limit_error", "resource_exhausted", "model_rate_limit"] },
    { names: ["ratelimiterror"] },
    { text: /rate[ _-]?limit|\btokens per min|\brequests per min/ },
  ],
};

/**
 * Sentences that vendors print under a status or a type that says less than they do (400 `invalid_request_error`, a 403,
 * a 429), or without either. Each names its sentence; none may outvote a code above.
 */
export const PHRASE_RULES: readonly FailureRule[] = [
  {
    name: "credits-words",
    provider: "any",
    example: {
      status: 400,
      message:
        '400 {"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low"}}',
    },
    counterExample: { status: 401, message: "Provide a valid key for an active subscription" },
    match: {
      text: /credit balance|not[_ ]enough[_ ](?:balance|credits?|funds)|higher (?:monthly |spending )?limit|insufficient[ _](?:account )?(?:balance|credits?|funds|quota)|(?:not enough|more|out of|no|any|run out of|lack of|used all available|insufficient) credits?\b|requires? more credits|billing hard limit|(?:spend(?:ing)?|budget|monetary) (?:limit|cap)\b|monthly spend|(?:exceeded|over|crossed|exceeds?)[ _](?:your |the |its |max )?(?:\w+ )?budget|budget has been exceeded|exceededbudget|余额不足|欠费|请充值|账户余额|please recharge|top[ -]up your|account is in good standing|payment (?:required|method)|complete your payment|unpaid|past due|in arrears|account is not active, please check your billing|check your billing|billing (?:is )?(?:not enabled|disabled|details to)|requires billing|billing to be enabled|enable billing|billed users|specified api usage limits|key limit exceeded|you have no quota|free quota has been exhausted|quota (?:is )?not enough|can only afford|免费额度|paid (?:plan|tier) (?:is )?required|requires a paid|subscription (?:has )?(?:expired|ended|lapsed)|用户额度不足|额度不足|预扣费/,
      not: {
        anyOf: [
          { codes: ["resource_exhausted"] },
          {
            text: /valid (?:api )?key for an active subscription|free-models-per-day|free tier requests|add \d+ credits to unlock/,
          },
          { statusBetween: [500, 599] },
        ],
      },
    },
    outcome: { reason: "billing" },
  },
  {
    name: "quota-and-billing-words",
    provider: "openai",
    example: {
      status: 429,
      message: "429 You exceeded your current quota, please check your plan and billing details.",
    },
    counterExample: {
      status: 429,
      message: "429 You exceeded your current quota, please check your plan and billing details.",
      error: { status: "RESOURCE_EXHAUSTED" },
    },
    match: {
      text: /exceeded (?:your|its) current quota[^\n]*(?:plan|billing)/,
      not: {
        anyOf: [
          { codes: ["resource_exhausted"] },
          {
            text: /ai\.google\.dev|googleapis\.com|googlegenerativeai|quota exceeded for metric|resource_exhausted/,
          },
          { quota: /./ },
        ],
      },
    },
    outcome: { reason: "billing" },
  },
  {
    name: "region-or-organisation-words",
    provider: "any",
    example: {
      message:
        "400 FAILED_PRECONDITION. {'error': {'code': 400, 'message': 'User location is not supported for the API use.', 'status': 'FAILED_PRECONDITION'}}",
    },
    counterExample: { status: 400, message: "400 The location parameter is not supported" },
    match: {
      text: /(?:user )?location is not supported|country, region,? or territory|unsupported (?:country|region)|not available in your (?:country|region|location)|organi[sz]ation (?:must|needs to) be verified|verify (?:your )?organi[sz]ation|organi[sz]ation has been (?:disabled|restricted|suspended|deactivated)|access to anthropic models is not allowed from/,
    },
    outcome: { reason: "auth" },
  },
  {
    name: "edge-page",
    provider: "cloudflare and others",
    example: {
      status: 403,
      message: "<html><head><title>Attention Required! | Cloudflare</title></head></html>",
    },
    counterExample: {
      status: 403,
      message: '{"error":{"type":"forbidden","message":"Request not allowed"}}',
    },
    match: {
      status: [401, 403, 405, 406],
      anyOf: [
        { html: true },
        {
          text: /cloudflare|you have been blocked|attention required!|just a moment\.\.\.|zscaler|captcha|enable javascript and cookies|invalid response body|parse error: expected http/,
        },
      ],
    },
    outcome: { reason: "network" },
  },
  {
    name: "proxy-login",
    provider: "proxies",
    example: { status: 407, message: "407 Proxy Authentication Required" },
    counterExample: { status: 401, message: "401 Authentication required" },
    match: { status: [407, 511] },
    // Somebody between here and the provider wants a login; the provider was not reached.
    outcome: { reason: "network", retryable: false },
  },
  {
    name: "key-words",
    provider: "any",
    example: { status: 400, message: "400 API key not valid. Please pass a valid API key." },
    counterExample: {
      status: 400,
      message: "400 Invalid model name. Call /v1/models to view available models for your key.",
    },
    match: {
      anyOf: [
        {
          text: /api[ _-]?key (?:not valid|not found|expired|is (?:invalid|missing|required|not set|not valid)|was reported as leaked|has (?:expired|been (?:revoked|disabled))|must be set|required)|(?:invalid|incorrect|wrong|bad|missing|expired|no|malformed|unknown) (?:\w+[ -])?(?:api[ _-]?key|x-api-key|subscription key|credentials?|access token|proxy server token|authentication token|bearer token)|authentication (?:fails|failed|error|required|token)|could not resolve authentication method|no auth credentials|(?:api[ _]?key|credentials?)[^\n]{0,60}(?:environment variable|must be (?:set|provided))|missing credentials|did ?n[o']t provide an api key|oauth (?:token|authentication)|(?:token|session|credential) (?:has |is )?(?:expired|revoked|invalid)|unable to (?:locate|load) credentials|could not load (?:the default )?credentials|not authorized to perform|security token included in the request|security token[^\n]*(?:invalid|expired)|user not found\.?$|login required|please (?:run \/login|log in|sign in|authenticate)|account (?:has been|is) (?:suspended|deactivated|locked|disabled|terminated)|openai account[^\n]*deactivated|is no longer a member|unauthorized client|signature we calculated does not match|无效的令牌|令牌已过期|身份验证/m,
        },
        { text: /^(?:\d{3} )?"?unauthorized"?$/m, not: { status: [403] } },
      ],
      not: {
        anyOf: [
          {
            text: /model[^\n]{0,60}(?:does not exist|not found|no such|invalid model name)|invalid model name|you (?:can )?obtain an api key[^\n]*model/,
          },
          { status: [404, 429] },
          { statusBetween: [500, 599] },
        ],
      },
    },
    outcome: { reason: "auth" },
  },
  {
    name: "model-words",
    provider: "any",
    example: { message: "The model `gpt-4-1106-preview` does not exist or you do not have access to it." },
    counterExample: {
      status: 400,
      message: "400 messages.130: `tool_use` ids were found without `tool_result` blocks",
    },
    match: {
      text: /\bmodel\b[^\n]{0,120}?(?:does(?: not|n't) exist|(?:was |is |were )?not found\b|not exist\b|has been (?:deprecated|decommissioned|removed|retired|shut ?down|discontinued)|is (?:not available|deprecated|no longer (?:available|supported)|not a valid model|not loaded|decommissioned|currently not available|unavailable for)|could ?n[o']t be found|reached its end of life|end of life)|(?:unknown|invalid|unsupported|no such|not a valid) model\b(?! (?:output|response|config))|is not a valid model(?: id)?|failed to load model|no models? (?:is |are )?(?:loaded|found|available)|model not exist|model is not supported|model_not_found|no 'model_name' with this string|there is no 'model_name'|no endpoints? (?:found|available) (?:for|matching|that support)|no (?:allowed )?providers? (?:are )?available for|try pulling it first|is not found for api version|publisher model[^\n]*(?:not found|not allowed)|not allowed to use publisher model|on-demand throughput is(?: not|n[’']t) supported|doesn[’']t support on-demand throughput|access to (?:the )?model[^\n]*(?:denied|required|with the specified)|(?:do not|don[’']t|does not|doesn[’']t) have access to (?:the )?(?:requested )?model|not (?:allowed|authorized|permitted) to (?:access|use) (?:this |the )?model|model identifier is invalid|provided model identifier|model access is denied|deployment for this resource does not exist|模型不存在|无可用渠道|no available channels? for model|the requested model is not (?:available|supported|found)|model[^\n]{0,80}is not (?:supported|available) (?:when|with|for|in|on|by) (?:using |your |this |the )?(?:codex|account|plan|chatgpt|region|api key|project|group)/,
      not: {
        anyOf: [
          // AWS answers so to accounts that may not call the model at all; its policy is the account's.
          { names: ["accessdeniedexception"] },
          {
            text: /model[^\n]{0,80}does not support (?:tools|image|vision|thinking|function)|(?<!error )loading model|overloaded/,
          },
          { status: [429], text: /rate[ _-]?limit/ },
        ],
      },
    },
    outcome: { reason: "model_not_found" },
  },
  {
    name: "output-limit-words",
    provider: "any",
    example: {
      status: 400,
      message: "400 max_tokens is too large: 32000. This model supports at most 16384 completion tokens",
    },
    counterExample: {
      status: 400,
      message: "400 This model's maximum context length is 8192 tokens, you requested 9000",
    },
    match: {
      text: /max_(?:completion_|output_)?tokens[^\n]{0,30}(?:too large|must be greater than `?thinking|must be less than)|maximum (?:allowed )?(?:number of )?output tokens|max(?:imum)? tokens you requested exceeds? the model limit|supports at most \d+ (?:completion|output) tokens|max_tokens[^\n]{0,40}(?:should be|must be|range|between|less than or equal)(?![^\n]*at least 1)|thinking\.budget_tokens|thinking_budget|range of max_tokens|maxoutputtokens|max_output_tokens[^\n]*(?:supported range|must be)/,
      not: { text: /prompt is too long|context (?:limit|length|window)/ },
    },
    outcome: { reason: "invalid_request" },
  },
  {
    name: "overflow-words",
    provider: "any",
    example: { message: "400 prompt is too long: 213461 tokens > 200000 maximum" },
    counterExample: {
      status: 429,
      message:
        "429 This would exceed your organization's rate limit of 30,000 input tokens per minute. Please reduce the prompt length",
    },
    match: {
      text: /prompt (?:is )?too long|maximum (?:context|prompt|input|sequence|model) length|input (?:is )?too long|(?:exceed(?:s|ed|ing)?|larger than|longer than|beyond|overflow(?:s|ed)?|outside)[^\n]{0,60}(?:context (?:length|window|size|limit)|model(?:'s)? (?:context|length|maximum)|maximum number of tokens|max(?:imum)? (?:input|prompt)? ?tokens|model length|model token limit|maximum input)|context[ _](?:length|window|size|limit)[^\n]{0,60}(?:exceed|overflow|too (?:small|long)|not enough|only \d)|input token count[^\n]*exceeds|context the overflows|context overflow|token count[^\n]{0,30}exceed|(?:number of )?(?:input|prompt) tokens[^\n]{0,60}(?:exceed|too (?:many|large)|must be (?:less|<))|range of input length|too many (?:input |prompt )?tokens(?! (?:per|in (?:a|the last) )|, please wait)|request (?:entity |payload |body )?(?:is )?too large|payload too large|request exceeds the maximum (?:size|allowed)|string too long|exceed(?:s|ed)? (?:the )?max(?:imum)? (?:message|payload|request|body|content|prompt) (?:size|length)|reduce the (?:length|size) of (?:the |your )?(?:messages?|prompt|input|either)|shorten (?:the|your) (?:prompt|input|messages?)|tokens? limit exceeded[^\n]*(?:shorten|prompt)|larger context (?:length|size)|provide a shorter input|n_ctx|expected maxlength|max_tokens must be at least 1, got -|上下文[^\n]*(?:超|长度)|超(?:过|出)[^\n]{0,12}(?:上下文|最大长度|token)|input length and `max_tokens` exceed|exceeds? the (?:limit|maximum) of \d+ (?:input )?tokens|tokens?[^\n]{0,20}> ?\d+ maximum|maximum length of \d+ tokens|fit into the model|`inputs` tokens \+ `max_new_tokens` must be|messages resulted in \d+ tokens/,
      not: { anyOf: [THROTTLED, { text: /image[^\n]{0,60}exceeds?|too many images|many-image/ }] },
    },
    outcome: { reason: "context_overflow" },
  },
  {
    name: "safety-words",
    provider: "any",
    example: { message: "[GoogleGenerativeAI Error]: Candidate was blocked due to SAFETY" },
    counterExample: { status: 403, message: "<html>Sorry, you have been blocked</html>" },
    match: {
      text: /content (?:management|filter(?:ing)?|policy|moderation)|blocked (?:due to|by|for|because of) (?:safety|content|the safety|prohibited|guardrail|recitation)|response was (?:filtered|blocked)|prompt was (?:flagged|blocked)|input was flagged|flagged (?:as|for|by)|safety (?:system|filter|setting)|usage polic(?:y|ies)|inappropriate content|potentially (?:unsafe|sensitive|violating)|requires moderation|violates? (?:our|the) (?:usage )?polic|prohibited_content|敏感|不安全/,
      not: THROTTLED,
    },
    outcome: { reason: "invalid_request" },
  },
  {
    name: "plan-window-words",
    provider: "any",
    example: {
      message: "You've hit your usage limit. Upgrade to Pro or try again in 5 days 22 hours 11 minutes.",
    },
    counterExample: {
      status: 429,
      message: "429 Rate limit reached on requests per min (RPM). Please try again in 20s.",
    },
    match: {
      text: /(?:hit|reached|exceeded) your (?:\w+ )?(?:usage|session|weekly|daily|monthly|5-hour|five-hour|opus|sonnet|premium)[ \w-]{0,20}(?:limit|quota|allowance)|usage limit (?:has been )?(?:reached|exceeded)|usage limit reached|out of (?:extra )?usage|limit reached (?:\||∙|·)|weekly (?:usage )?limit|(?:daily|weekly|monthly) (?:request |token |usage |free )?(?:limit|quota)|quota (?:limit )?(?:exceeded|exhausted|reached) (?:for (?:today|the day|this month))|free-models-per-day|(?:requests|tokens|calls) ?(?:per|\/) ?(?:day|week|month)|\b(?:rpd|tpd)\b|per[- ]?day\b|perday|使用上限|premium request allowance|free allocated quota exceeded|extra usage is required|(?:daily|weekly|monthly|session|5-hour) limit reached|will reset (?:after|at) \d+h|exhausted your daily|限额/,
      not: { text: /tokens per min|requests per min|\btpm\b|\brpm\b/ },
    },
    outcome: { reason: "rate_limit", retryable: false },
  },
  {
    name: "plan-window-quota",
    provider: "gemini",
    example: {
      status: 429,
      error: {
        status: "RESOURCE_EXHAUSTED",
        details: [{ violations: [{ quotaId: "GenerateRequestsPerDayPerProjectPerModel-FreeTier" }] }],
      },
    },
    counterExample: {
      status: 429,
      error: {
        status: "RESOURCE_EXHAUSTED",
        details: [{ violations: [{ quotaId: "GenerateRequestsPerMinutePerProjectPerModel" }] }],
      },
    },
    match: { quota: /per_?day|daily/ },
    outcome: { reason: "rate_limit", retryable: false },
  },
];
