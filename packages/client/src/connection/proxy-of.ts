import { BlockList, isIP } from "node:net";
import process from "node:process";
import type { ConnectionSettings } from "../settings/connection-settings.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const schemes = new Set(["http:", "https:", "socks5:"]);
const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8);
loopback.addAddress("::1", "ipv6");

/**
 * Returns the proxy for requests to the API server: the one from the settings, otherwise the one from `HTTPS_PROXY` (or `HTTP_PROXY` for
 * a server without TLS; lower-case names also work), unless `NO_PROXY` excludes the server. `localhost` and loopback addresses are
 * reached directly.
 *
 * @throws {Error} if the proxy is not an http, https or socks5 URL
 * @see Go's golang.org/x/net/http/httpproxy
 *
 */
export function proxyOf(settings: ConnectionSettings, env: Environment = process.env): string | undefined {
  if (settings.proxyUrl) return checked(settings.proxyUrl, "proxyUrl");
  const server = new URL(settings.server);
  const name = server.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const from = variable(env, name);
  if (!from || !isProxied(server, variable(env, "NO_PROXY")?.value ?? "")) return undefined;
  return checked(/^[a-z][a-z0-9+.-]*:\/\//i.test(from.value) ? from.value : `http://${from.value}`, from.name);
}

function variable(env: Environment, name: string): { readonly name: string; readonly value: string } | undefined {
  for (const one of [name, name.toLowerCase()]) {
    const value = env[one];
    if (value) return { name: one, value };
  }
  return undefined;
}

/** The value may contain a password, which a message must not repeat. */
function checked(value: string, from: string): string {
  const plain = value.replace(/^socks5h:/i, "socks5:"); // the proxy resolves names in either case
  const url = URL.canParse(plain) ? new URL(plain) : undefined;
  if (url && schemes.has(url.protocol) && url.host !== "") return plain;
  const shown = value.replace(/^(.*:\/\/)?.*@/, "$1…@");
  throw new Error(
    `${from} "${shown}" is not a valid proxy URL: use http://host:port, https://host:port or socks5://host:port`,
  );
}

function isProxied(server: URL, noProxy: string): boolean {
  const host = server.hostname.replace(/^\[|\]$/g, "");
  const port = server.port || (server.protocol === "https:" ? "443" : "80");
  const family = familyOf(host);
  if (host === "localhost" || (family && loopback.check(host, family))) return false;
  const entries = noProxy.split(",").map((entry) => entry.trim().toLowerCase());
  return !entries.some((entry) => entry === "*" || excludes(entry, host, port));
}

/** Matches one entry of `NO_PROXY`: an address, an address range, or a domain including its subdomains, optionally with a port. */
function excludes(entry: string, host: string, port: string): boolean {
  const family = familyOf(host);
  const [, network = "", bits = ""] = /^(.+)\/(\d{1,3})$/.exec(entry) ?? [];
  const networkFamily = familyOf(network);
  if (networkFamily && Number(bits) <= (networkFamily === "ipv4" ? 32 : 128))
    return (
      family !== undefined && matches(host, family, (list) => list.addSubnet(network, Number(bits), networkFamily))
    );
  const [, bracketed, plain = "", wantedPort] = /^(?:\[(.*)\]|([^:]*))(?::(\d*))?$/.exec(entry) ?? [
    "",
    undefined,
    entry,
  ];
  const wanted = bracketed ?? plain;
  if (wanted === "" || (wantedPort && wantedPort !== port)) return false;
  const wantedFamily = familyOf(wanted);
  if (wantedFamily)
    return family !== undefined && matches(host, family, (list) => list.addAddress(wanted, wantedFamily));
  const domain = wanted.replace(/^\*?\./, "");
  return host.endsWith(`.${domain}`) || (domain === wanted && host === domain);
}

/** Also matches an IPv4 address in IPv6 notation. */
function matches(host: string, family: "ipv4" | "ipv6", add: (list: BlockList) => void): boolean {
  const list = new BlockList();
  add(list);
  return list.check(host, family);
}

function familyOf(text: string): "ipv4" | "ipv6" | undefined {
  const version = isIP(text);
  return version === 4 ? "ipv4" : version === 6 ? "ipv6" : undefined;
}
