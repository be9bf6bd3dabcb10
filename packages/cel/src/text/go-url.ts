import { quote } from "@kubewright/apimachinery";

/** A URL as parsed by Go's net/url. */
export interface GoUrl {
  readonly text: string;
  readonly scheme: string;
  readonly host: string;
  readonly hostname: string;
  readonly port: string;
  readonly escapedPath: string;
  readonly query: string;
}

/** Parses a URL that is absolute or starts with a slash. @see Go net/url ParseRequestURI */
export function parseRequestUri(text: string): GoUrl | { readonly error: string } {
  const wrong = (reason: string): { error: string } => ({ error: `parse ${quote(text)}: ${reason}` });
  if (/\p{Cc}/u.test(text.replace(/[\u0080-\u009f]/g, ""))) return wrong("net/url: invalid control character in URL");
  if (text === "") return wrong("empty url");
  const { scheme, rest, problem } = splitScheme(text);
  if (problem !== undefined) return wrong(problem);
  const [withoutFragment = ""] = rest.split("#");
  const question = withoutFragment.indexOf("?");
  const beforeQuery = question < 0 ? withoutFragment : withoutFragment.slice(0, question);
  const query = question < 0 ? "" : withoutFragment.slice(question + 1);
  if (!beforeQuery.startsWith("/")) {
    if (scheme === "") return wrong("invalid URI for request");
    return { text, scheme, host: "", hostname: "", port: "", escapedPath: "", query };
  }
  const hasAuthority = beforeQuery.startsWith("//") && (scheme !== "" || !beforeQuery.startsWith("///"));
  const slash = hasAuthority && scheme !== "" ? beforeQuery.indexOf("/", 2) : 0;
  const authority = hasAuthority && scheme !== "" ? beforeQuery.slice(2, slash < 0 ? undefined : slash) : "";
  const path = scheme !== "" && hasAuthority ? (slash < 0 ? "" : beforeQuery.slice(slash)) : beforeQuery;
  const at = authority.lastIndexOf("@");
  const host = unescapeHost(authority.slice(at + 1));
  if (typeof host !== "string") return wrong(host.error);
  const badPath = /%(?![0-9a-fA-F]{2}).{0,2}/.exec(path);
  if (badPath) return wrong(`invalid URL escape ${quote(badPath[0])}`);
  const { hostname, port, error } = splitPort(host);
  if (error !== undefined) return wrong(error);
  return { text, scheme, host, hostname, port, escapedPath: escapePath(path), query };
}

function splitScheme(text: string): { scheme: string; rest: string; problem?: string } {
  for (let i = 0; i < text.length; i++) {
    const char = text.charAt(i);
    if (/[a-zA-Z]/.test(char)) continue;
    if (/[0-9+.-]/.test(char) && i > 0) continue;
    if (char === ":" && i === 0) return { scheme: "", rest: "", problem: "missing protocol scheme" };
    if (char === ":") return { scheme: text.slice(0, i).toLowerCase(), rest: text.slice(i + 1) };
    break;
  }
  return { scheme: "", rest: text };
}

function unescapeHost(host: string): string | { error: string } {
  const bad = /[ "<>\\^`{|}]/.exec(host);
  if (bad) return { error: `invalid character ${quote(bad[0])} in host name` };
  const escaped = /%(?:.{0,2})/.exec(host);
  return escaped && !host.startsWith("[") ? { error: `invalid URL escape ${quote(escaped[0])}` } : host;
}

function splitPort(host: string): { hostname: string; port: string; error?: string } {
  const bracket = /^\[([^\]]*)\](.*)$/.exec(host);
  if (host.startsWith("[") && !bracket) return { hostname: "", port: "", error: "missing ']' in host" };
  const after = bracket ? (bracket[2] ?? "") : (/:.*$/s.exec(host)?.[0] ?? "");
  const last = bracket ? after : (/:[^:]*$/.exec(host)?.[0] ?? "");
  if (after !== "" && !/^:\d*$/.test(bracket ? after : last))
    return { hostname: "", port: "", error: `invalid port ${quote(bracket ? after : last)} after host` };
  const port = last.slice(1);
  return { hostname: bracket ? (bracket[1] ?? "") : host.slice(0, host.length - last.length), port };
}

/** Escapes characters that a path cannot contain. Leaves existing escapes unchanged. */
const escapePath = (path: string): string => {
  const isValid = /^(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/[\]]|%[0-9a-fA-F]{2})*$/.test(path);
  if (isValid) return path;
  const bytes = Buffer.from(
    path.replace(/%([0-9a-fA-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
  );
  return [...bytes]
    .map((byte) => {
      const char = String.fromCharCode(byte);
      return /[A-Za-z0-9\-._~$&+,/:;=@]/.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
    })
    .join("");
};

/** Returns the values in a query, keyed by parameter name. Skips parts that cannot be parsed. */
export function queryValues(query: string): ReadonlyMap<string, readonly string[]> {
  const values = new Map<string, string[]>();
  for (const pair of query.split("&")) {
    if (pair === "" || pair.includes(";")) continue;
    const equals = pair.indexOf("=");
    const key = unescapeQuery(equals < 0 ? pair : pair.slice(0, equals));
    const value = unescapeQuery(equals < 0 ? "" : pair.slice(equals + 1));
    if (key === undefined || value === undefined) continue;
    const known = values.get(key);
    if (known) known.push(value);
    else values.set(key, [value]);
  }
  return values;
}

function unescapeQuery(text: string): string | undefined {
  if (!/[%+]/.test(text)) return text;
  if (/%(?![0-9a-fA-F]{2})/.test(text)) return undefined;
  const bytes = text
    .replaceAll("+", " ")
    .split(/(%[0-9a-fA-F]{2})/)
    .map((part) => (/^%[0-9a-fA-F]{2}$/.test(part) ? Buffer.from(part.slice(1), "hex") : Buffer.from(part)));
  return Buffer.concat(bytes).toString("utf8");
}
