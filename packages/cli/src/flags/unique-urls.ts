import { parseCsv } from "./csv.ts";

/**
 * Returns etcd's error message if a list of listen or advertise URLs is invalid; otherwise undefined.
 *
 * @see etcd client/pkg/types NewURLs
 */
export function checkUrls(text: string): string | undefined {
  if (text === "" || text === "*") return undefined;
  const parsed = parseCsv(text);
  if ("error" in parsed) return parsed.error;
  return parsed.fields.map((each) => checkUrl(each.trim())).find((error) => error !== undefined);
}

function checkUrl(text: string): string | undefined {
  const [, scheme = "", host = "", path = ""] = /^([a-z]+):\/\/([^/]*)(.*)$/.exec(text) ?? [];
  if (scheme.startsWith("unix") && ["unix", "unixs"].includes(scheme)) return undefined;
  const port = /:([^\]]*)$/.exec(host)?.[1];
  if (port !== undefined && !/^\d*$/.test(port)) return `parse "${text}": invalid port ":${port}" after host`;
  const colons = host.replace(/^\[.*\]/, "").match(/:/g)?.length ?? 0;
  if (colons > 1) return `parse "${text}": invalid port "${host.slice(host.indexOf(":"))}" after host`;
  if (!["http", "https"].includes(scheme)) return `URL scheme must be http, https, unix, or unixs: ${text}`;
  if (colons === 0) return `URL address does not have the form "host:port": ${text}`;
  return path === "" ? undefined : `URL must not contain a path: ${text}`;
}
