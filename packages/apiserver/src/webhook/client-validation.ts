import { type FieldError, type FieldPath, fieldError, isDns1123Subdomain, quote } from "@kubewright/apimachinery";

/** A webhook's address, before validation. @see apiserver pkg/util/webhook ClientConfig */
export interface UncheckedClientConfig {
  url?: string | undefined;
  /** CA certificates in PEM format, encoded as base64. */
  caBundle?: string | undefined;
  service?:
    | {
        namespace?: string | undefined;
        name?: string | undefined;
        path?: string | undefined;
        port?: number | undefined;
      }
    | undefined;
}

const form = "; desired format: https://host[/path]";

/** Validates a webhook's address, and returns the errors. @see apiserver pkg/util/webhook validation.go */
export function clientErrors({ url, service }: UncheckedClientConfig, at: FieldPath): FieldError[] {
  if ((url === undefined) === (service === undefined))
    return [fieldError.required(at, "exactly one of url or service is required")];
  return url === undefined ? serviceErrors(service ?? {}, at.child("service")) : urlErrors(url, at.child("url"));
}

function urlErrors(url: string, at: FieldPath): FieldError[] {
  const parsed = parseUrl(url);
  if ("problem" in parsed)
    return [fieldError.required(at, `url must be a valid URL: parse ${quote(url)}: ${parsed.problem}${form}`)];
  const { scheme, user, host, query, fragment } = parsed;
  const errors: FieldError[] = [];
  if (scheme !== "https") errors.push(fieldError.invalid(at, scheme, `'https' is the only allowed URL scheme${form}`));
  if (host === "") errors.push(fieldError.invalid(at, host, `host must be specified${form}`));
  if (user !== "") errors.push(fieldError.invalid(at, user, "user information is not permitted in the URL"));
  if (fragment !== "") errors.push(fieldError.invalid(at, fragment, "fragments are not permitted in the URL"));
  if (query !== "") errors.push(fieldError.invalid(at, query, "query parameters are not permitted in the URL"));
  return errors;
}

interface UrlParts {
  readonly scheme: string;
  readonly user: string;
  readonly host: string;
  readonly query: string;
  readonly fragment: string;
}

/** Parses a URL like Go's `net/url`. */
function parseUrl(url: string): UrlParts | { readonly problem: string } {
  const [beforeFragment = "", fragment = ""] = cut(url, "#");
  if (beforeFragment.startsWith(":")) return { problem: "missing protocol scheme" };
  const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(beforeFragment)?.[1] ?? "";
  const [rest = "", query = ""] = cut(scheme === "" ? beforeFragment : beforeFragment.slice(scheme.length + 1), "?");
  if (!rest.startsWith("//")) return { scheme: scheme.toLowerCase(), user: "", host: "", query, fragment };
  const authority = /^\/\/([^/]*)/.exec(rest)?.[1] ?? "";
  const atSign = authority.lastIndexOf("@");
  const host = authority.slice(atSign + 1);
  const wrong = /[\s"<>\\^`{|}]/.exec(host)?.[0];
  if (wrong) return { problem: `invalid character ${quote(wrong)} in host name` };
  const port = /:([^:\]]*)$/.exec(host)?.[1];
  if (port !== undefined && !/^\d*$/.test(port)) return { problem: `invalid port ${quote(`:${port}`)} after host` };
  return { scheme: scheme.toLowerCase(), user: atSign < 0 ? "" : authority.slice(0, atSign), host, query, fragment };
}

function cut(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

function serviceErrors(
  { name, namespace, path, port = 443 }: NonNullable<UncheckedClientConfig["service"]>,
  at: FieldPath,
) {
  const errors: FieldError[] = [];
  if (!name) errors.push(fieldError.required(at.child("name")));
  // like upstream, report the error at the wrong field
  if (!namespace) errors.push(fieldError.required(at.child(name ? "name" : "namespace")));
  if (port < 1 || port > 65_535)
    errors.push(
      fieldError.invalid(at.child("port"), port, "port is not valid: must be between 1 and 65535, inclusive"),
    );
  return path === undefined ? errors : [...errors, ...pathErrors(path, at.child("path"))];
}

function pathErrors(path: string, at: FieldPath): FieldError[] {
  if (path === "" || path === "/") return [];
  const errors: FieldError[] = [];
  if (!path.startsWith("/")) errors.push(fieldError.invalid(at, path, "must start with a '/'"));
  const segments = path.slice(1).replace(/\/$/, "").split("/");
  if (path === "//") return [fieldError.invalid(at, path, "segment[0] may not be empty")];
  for (const [i, segment] of segments.entries()) {
    if (segment === "") errors.push(fieldError.invalid(at, path, `segment[${i}] may not be empty`));
    else
      for (const text of isDns1123Subdomain(segment))
        errors.push(fieldError.invalid(at, path, `segment[${i}]: ${text}`));
  }
  return errors;
}
