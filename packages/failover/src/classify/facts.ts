/** What could be read out of a thrown value: structured facts first, the words last. All strings are lower case. */
export interface Facts {
  /** The HTTP status that counts: the error's own, or the upstream's when a gateway only wrapped it in a 5xx. */
  status: number | undefined;
  /** Whether {@link status} was a field, and not read from words. */
  statusIsStructured: boolean;
  /** Values of `code`, `type`, `status`, `reason` and the like, wherever they stood. */
  readonly codes: Set<string>;
  /** Class names of the errors in the chain, without their module. */
  readonly names: Set<string>;
  /** `ECONNRESET`, `UND_ERR_SOCKET`, TLS codes; upper case, as Node writes them. */
  readonly errnos: Set<string>;
  /** Names of fields that tell who threw (`syscall`, `$fault`, `documentation_url`, …). */
  readonly fields: Set<string>;
  /** Values of `syscall`, `url`, `hostname`, `documentation_url`. */
  readonly places: string[];
  /** Response headers by lower-case name. */
  readonly headers: Map<string, string>;
  /** Google's quota ids and metrics, which say the window. */
  readonly quotas: string[];
  /** Delays that a field states, in milliseconds; dates are kept apart. */
  readonly delaysMs: number[];
  /** Moments that a field states, in milliseconds since the epoch. */
  readonly resetsAtMs: number[];
  /** Whether a page of HTML was among the texts. */
  html: boolean;
  /** Every text, tags and JSON taken out, joined by line breaks, bounded. */
  text: string;
}

/** No facts yet. */
export const emptyFacts = (): Facts => ({
  status: undefined,
  statusIsStructured: false,
  codes: new Set(),
  names: new Set(),
  errnos: new Set(),
  fields: new Set(),
  places: [],
  headers: new Map(),
  quotas: [],
  delaysMs: [],
  resetsAtMs: [],
  html: false,
  text: "",
});
