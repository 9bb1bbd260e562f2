import type { ResolvedSpec } from "../provider.js";

/** The entries of an object that are set: clients tell `undefined` from absent. */
type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

export const given = <T extends object>(settings: T): Given<T> =>
  Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)) as Given<T>;

/**
 * `temperature` and `topP`, where the model takes them.
 *
 * @param silent - whether the model does not reason when it is not told to.
 */
export const sampling = (
  spec: ResolvedSpec,
  silent: boolean,
): { temperature?: number | undefined; topP?: number | undefined } => {
  const { sampling: rule } = spec.description;
  if (rule === "refused") return {};
  const reasons = spec.plan.kind === "default" ? !silent : spec.plan.kind !== "off";
  if (rule === "without_reasoning" && reasons) return {};
  return { temperature: spec.temperature, topP: spec.topP };
};

/** A base URL as a client wants it that adds the path itself, from one that has it already. */
export const withoutSuffix = (url: string | undefined, suffix: string): string | undefined => {
  const plain = url?.replace(/\/+$/, "");
  return plain?.endsWith(suffix) ? plain.slice(0, -suffix.length) : plain;
};
