import { spend, spendOnText } from "../text/cost-meter.ts";
import { type GoUrl, parseRequestUri, queryValues } from "../text/go-url.ts";
import { asString } from "../values/arguments.ts";
import { CelEntries, CelList } from "../values/collections.ts";
import { type FunctionDeclaration, global, member } from "../values/declarations.ts";
import { CelError, CelNode, type CelValue, noSuchOverload } from "../values/value.ts";
import { kubernetesTypes } from "./kubernetes-types.ts";

class CelUrl extends CelNode {
  readonly type = kubernetesTypes.url;
  readonly value: GoUrl;

  constructor(value: GoUrl) {
    super();
    this.value = value;
  }

  equals(other: CelValue): boolean | CelError {
    spendOnText(this.value.text.length);
    return other instanceof CelUrl ? other.value.text === this.value.text : noSuchOverload();
  }
}

function parse(text: string): CelValue {
  spend(text.length);
  const parsed = parseRequestUri(text);
  return "error" in parsed
    ? new CelError(`URL parse error during conversion from string: ${parsed.error}`)
    : new CelUrl(parsed);
}

const accessor = (name: string, id: string, pick: (url: GoUrl) => string): FunctionDeclaration =>
  member(name, id, "kubernetes.URL -> string", (url) => pick(asUrl(url)));

const asUrl = (value: CelValue | undefined): GoUrl => {
  if (value instanceof CelUrl) return value.value;
  throw new Error("a URL function was called on a value that is not a URL");
};

function query({ query: text }: GoUrl): CelValue {
  spend(text.length);
  return new CelEntries([...queryValues(text)].map(([key, values]) => [key, new CelList([...values])] as const));
}

/** Functions for URLs. @see apiserver pkg/cel/library/urls.go */
export const urls: readonly FunctionDeclaration[] = [
  global("url", "string_to_url", "string -> kubernetes.URL", (text) => parse(asString(text))),
  global("isURL", "is_url_string", "string -> bool", (text) => !(parse(asString(text)) instanceof CelError)),
  accessor("getScheme", "url_get_scheme", ({ scheme }) => scheme),
  accessor("getHost", "url_get_host", ({ host }) => host),
  accessor("getHostname", "url_get_hostname", ({ hostname }) => hostname),
  accessor("getPort", "url_get_port", ({ port }) => port),
  accessor("getEscapedPath", "url_get_escaped_path", ({ escapedPath }) => escapedPath),
  member("getQuery", "url_get_query", "kubernetes.URL -> map(string, list(string))", (url) => query(asUrl(url))),
];
