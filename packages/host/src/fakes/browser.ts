import type { BrowserPort, BrowserTask } from "../browser-port.js";
import { HostError } from "../errors.js";
import type { Preview, PreviewPort } from "../preview-port.js";

export interface FakeBrowserPage {
  readonly title: string;
  /** What a snapshot lists, in order; they are called e1, e2, … counting on from snapshot to snapshot. */
  readonly elements: readonly string[];
}

/** A browser of a few pages. Actions are recorded and only "navigate" has an effect; code is answered by `evaluate`. */
export const createFakeBrowser = (options: {
  readonly pages: Readonly<Record<string, FakeBrowserPage>>;
  readonly startUrl?: string;
  readonly evaluate?: (code: string, url: string) => unknown;
}): BrowserPort & { readonly tasks: readonly BrowserTask[] } => {
  const tasks: BrowserTask[] = [];
  let url = options.startUrl ?? Object.keys(options.pages)[0] ?? "about:blank";
  let known = new Set<string>();
  let last = 0;
  const page = (): FakeBrowserPage => options.pages[url] ?? { title: "", elements: [] };
  return {
    tasks,
    async run(task, { signal } = {}) {
      signal?.throwIfAborted();
      if (task.kind === "code") {
        tasks.push(task);
        const value = JSON.stringify(await options.evaluate?.(task.code, url));
        return { url, ...(value === undefined ? {} : { value }), console: [], truncated: false };
      }
      for (const action of task.actions) {
        if ("id" in action && action.id !== undefined && !known.has(action.id))
          throw new HostError(
            "not_found",
            `the latest snapshot has no element "${action.id}"; take a new one`,
          );
        if (action.kind === "navigate") {
          url = action.url;
          known = new Set();
        }
      }
      tasks.push(task);
      return { url, console: [], truncated: false };
    },
    async snapshot({ signal, maxBytes = 50_000 } = {}) {
      signal?.throwIfAborted();
      const lines: string[] = [];
      let bytes = 0;
      known = new Set();
      for (const element of page().elements) {
        const line = `[e${last + 1}] ${element}`;
        bytes += Buffer.byteLength(line) + 1;
        if (bytes > maxBytes) break;
        last += 1;
        known.add(`e${last}`);
        lines.push(line);
      }
      return {
        url,
        title: page().title,
        text: lines.join("\n"),
        truncated: lines.length < page().elements.length,
      };
    },
    async screenshot({ signal } = {}) {
      signal?.throwIfAborted();
      return { mediaType: "image/png", data: ONE_PIXEL, width: 1, height: 1 };
    },
  };
};

const ONE_PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

/** A preview that nobody sees. */
export const createFakePreview = (): PreviewPort => {
  const shown = new Map<string, Preview>();
  let count = 0;
  return {
    async open(url, { signal, title } = {}) {
      signal?.throwIfAborted();
      if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
        throw new HostError("invalid_argument", `${JSON.stringify(url)} is no http or https URL`);
      count += 1;
      const preview: Preview = { id: `preview-${count}`, url, title: title ?? url };
      shown.set(preview.id, preview);
      return preview;
    },
    async list({ signal } = {}) {
      signal?.throwIfAborted();
      return [...shown.values()];
    },
    async close(id, { signal } = {}) {
      signal?.throwIfAborted();
      if (!shown.delete(id)) throw new HostError("not_found", `there is no preview "${id}"`);
    },
  };
};
