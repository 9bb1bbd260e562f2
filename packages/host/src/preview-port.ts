import type { CallOptions } from "./call-options.js";

export interface Preview {
  readonly id: string;
  readonly url: string;
  readonly title: string;
}

/** Shows a page to the person, beside their code. It gives the agent nothing to read: that is `BrowserPort`. */
export interface PreviewPort {
  /** An http or https URL, most often of a local server. Anything else is refused with "invalid_argument". */
  open(url: string, options?: CallOptions & { readonly title?: string }): Promise<Preview>;
  list(options?: CallOptions): Promise<readonly Preview[]>;
  close(id: string, options?: CallOptions): Promise<void>;
}
