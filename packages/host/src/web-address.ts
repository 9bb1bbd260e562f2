import ipaddr from "ipaddr.js";
import { HostError } from "./errors.js";

/** Who may be spoken to. */
export interface WebAddressPolicy {
  /** `host` or `host:port`: exempt from the rules about addresses and ports. */
  readonly allow: readonly string[];
  readonly ports: readonly number[] | "any";
}

/**
 * Public by its range, and yet it answers from inside: Azure's platform service. The metadata addresses of other clouds
 * (169.254.169.254, fd00:ec2::254, 100.100.100.200, 192.0.0.192) lie in ranges that are refused anyway.
 */
const INSIDE = new Set(["168.63.129.16"]);
const GLOBAL_UNICAST: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse("2000::"), 3];

/**
 * Whether anybody on the internet could be at this address. What is not known to be public is not: all special ranges,
 * and those that carry another address in them (IPv4-mapped and -compatible, NAT64, 6to4, Teredo).
 */
export const isPublicAddress = (address: string): boolean => {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (INSIDE.has(parsed.toString()) || parsed.range() !== "unicast") return false;
  return parsed instanceof ipaddr.IPv6 ? parsed.match(GLOBAL_UNICAST) : !isBenchmark(parsed);
};

// 198.18.0.0/15: routed inside test networks alone.
const isBenchmark = (address: ipaddr.IPv4): boolean => address.match([ipaddr.IPv4.parse("198.18.0.0"), 15]);

const portOf = (url: URL): number =>
  url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
const bare = (host: string): string => host.replace(/^\[|\]$/g, "").replace(/\.$/, "");

/** Whether the list names this host and port; then nothing else is asked. */
export const isAllowed = (url: URL, { allow }: WebAddressPolicy): boolean => {
  const host = url.hostname.replace(/\.$/, "");
  return allow.some((entry) => {
    const lower = entry.toLowerCase();
    return lower === host || lower === bare(host) || lower === `${host}:${portOf(url)}`;
  });
};

/**
 * What can be refused before a name is looked up. The URL parser has made every form of an IPv4 address (decimal, octal,
 * hexadecimal, short) the dotted one by now, which tests hold it to.
 */
export const checkUrl = (text: string, policy: WebAddressPolicy): URL => {
  if (typeof text !== "string" || text.length > 8_000 || !URL.canParse(text))
    throw new HostError(
      "invalid_argument",
      "that is no URL; give a whole one, such as https://example.com/page",
    );
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw new HostError("invalid_argument", `${url.protocol} is not fetched; give an http or https URL`);
  if (url.username !== "" || url.password !== "")
    throw new HostError("denied", "a URL with a user name or password is not fetched");
  if (isAllowed(url, policy)) return url;
  if (policy.ports !== "any" && !policy.ports.includes(portOf(url)))
    throw new HostError(
      "denied",
      `port ${portOf(url)} is not fetched from; allowed are ${policy.ports.join(", ")}`,
    );
  if (ipaddr.isValid(bare(url.hostname)) && !isPublicAddress(bare(url.hostname)))
    throw new HostError("denied", `${url.hostname} is no public address`);
  return url;
};
