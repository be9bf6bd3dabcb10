const uuid = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;
const time = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;
const clusterAddress = /\b10\.\d{1,3}\.\d{1,3}\.\d{1,3}(?:\/\d+)?\b/g;
const advertised = /\b192\.0\.2\.1:\d+\b/g;
const age = /^\d+[smhdy](?:\d+[smhdy])?$/;
const generated = /\b(gen[-_])[bcdfghjklmnpqrstvwxz2456789]{5}\b/gi;
const versionsInTexts =
  /((?:ResourceVersion in (?:precondition|object meta|record)|resource version|current|ResourceVersion|resourceVersion|Resource Version|Continue|in the record)\\*"?:? *\(?\\*"?)(\d+)( \(\d+\))?/g;

const dayMs = 86_400_000;

/**
 * Replaces only values in the answers of one sequence that cannot be equal on two servers. Uids and resource versions get the name of the
 * step in which they first appear, so that equal ones stay equal, and a difference does not appear in every later step.
 */
export class Normaliser {
  readonly #names = new Map<string, string>();
  readonly #counts = new Map<string, number>();
  readonly #now: number;
  readonly #address: string;
  #step = "";

  constructor(server: string, now: number) {
    this.#address = new URL(server).host;
    this.#now = now;
  }

  /** Sets the name of the step whose answer comes next. */
  begin(step: string): void {
    this.#step = step;
  }

  value(value: unknown, key = ""): unknown {
    if (typeof value === "string") return this.#member(key, value);
    if (typeof value === "number") return key === "nodePort" && value >= 30_000 && value < 65_536 ? "<port>" : value;
    if (Array.isArray(value))
      return settled(
        key,
        value.map((item) => this.value(item, key)),
      );
    if (typeof value !== "object" || value === null) return value;
    const isList =
      "items" in value || ("rows" in value && "columnDefinitions" in value) || "initial-events-end" in value;
    const entries = Object.entries(value).filter(
      ([name, member]) =>
        !(name === "extra" && isCredentialOnly(member)) && !(name === "description" && key === "columnDefinitions"),
    );
    const normal = Object.fromEntries(
      entries.map(([name, member]) =>
        name === "metadata" && (isList || isBookmark(value))
          ? [name, this.#listMetadata(member)]
          : [name, this.value(member, name)],
      ),
    );
    return normal;
  }

  text(text: string): string {
    return text
      .replaceAll(uuid, (each) => this.#nameOf("uid", each))
      .replaceAll(time, (each) => (Math.abs(Date.parse(each) - this.#now) < 2 * dayMs ? "<time>" : each))
      .replaceAll(this.#address, "<server>")
      .replaceAll(advertised, "<server>")
      .replaceAll(clusterAddress, "<address>")
      .replaceAll(generated, "$1<generated>")
      .replaceAll(
        versionsInTexts,
        (_whole, before: string, _version, second: string | undefined) =>
          `${before}<version>${second ? " (<version>)" : ""}`,
      );
  }

  #member(key: string, value: string): string {
    if (key === "resourceVersion" && /^[1-9]\d*$/.test(value)) return this.#nameOf("version", value);
    if (key === "continue" && value !== "") return continueToken(value);
    if (key === "cells" && age.test(value)) return "<age>";
    return this.text(value);
  }

  /** Does not name the version: the names of the items' versions must not depend on writes in the background. */
  #listMetadata(metadata: unknown): unknown {
    const hasVersion = typeof metadata === "object" && metadata !== null && "resourceVersion" in metadata;
    return this.value(hasVersion ? { ...metadata, resourceVersion: "<newest>" } : metadata);
  }

  #nameOf(what: string, value: string): string {
    const key = `${what} ${value}`;
    const known = this.#names.get(key);
    if (known) return known;
    const place = `${what} of ${this.#step}`;
    const count = (this.#counts.get(place) ?? 0) + 1;
    this.#counts.set(place, count);
    const name = count === 1 ? `<${place}>` : `<${place}, ${count}>`;
    this.#names.set(key, name);
    return name;
  }
}

/** The credential depends on the way of authentication: a certificate, or a proxy that vouches for the client. */
const isCredentialOnly = (extra: unknown): boolean =>
  typeof extra === "object" &&
  extra !== null &&
  Object.keys(extra).join() === "authentication.kubernetes.io/credential-id";

/** Sorts lists whose order is random upstream (iteration over a map) or depends on whether a second has passed. */
function settled(key: string, list: readonly unknown[]): readonly unknown[] {
  const isChance =
    key === "managedFields" || (key === "causes" && JSON.stringify(list).includes("FieldManagerConflict"));
  return isChance ? list.toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1)) : list;
}

function sortKey(value: unknown): string {
  const { operation, manager, subresource, apiVersion, message, field } = value as Record<string, unknown>;
  return JSON.stringify([operation, manager, subresource, apiVersion, message, field]);
}

/** The version of a list or a bookmark is the server's newest, which its own background writes also change. */
function isBookmark(value: object): boolean {
  const metadata: unknown = Reflect.get(value, "metadata");
  return typeof metadata === "object" && metadata !== null && "resourceVersion" in metadata && !("name" in metadata);
}

function continueToken(token: string): string {
  const decoded = Buffer.from(token, "base64url").toString();
  return decoded.startsWith("{") ? `<continue ${decoded.replace(/"rv":\d+/, '"rv":<version>')}>` : token;
}
