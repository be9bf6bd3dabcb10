const maxMessageLength = 2_000;
/** Characters with a special meaning in a terminal, including line breaks and marks that reverse text. */
const control = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu;

/** Minimum length of secrets. Shorter strings occur by chance. */
const minSecretLength = 4;
/** Marks the end of a truncated text. */
const ellipsis = "...";

/** Maximum number of comparisons for all strings of one mask. Beyond that, strings are hidden completely. */
const maxSteps = 20_000_000;

/**
 * Hides any number of secrets in strings. The cost depends mainly on the length of the text, not on the number of secrets, and is limited
 * even for malicious input. Secrets with fewer than four characters are hidden only on request.
 */
export class Mask {
  readonly #secrets = new Set<string>();
  /** Encoded forms of the secrets, grouped by their first characters. */
  readonly #spellings = new Map<string, Set<string>>();
  /** Lengths of the encoded forms that are shorter than the prefix. All other forms are grouped by this prefix. */
  readonly #lengths = new Set<number>();
  /** Filter by the hash of the first two characters, which skips most of a string. */
  readonly #begins = new Uint8Array(hashes);
  readonly #minLength: number;

  constructor(secrets: Iterable<string | undefined> = [], { short = false } = {}) {
    this.#minLength = short ? 1 : minSecretLength;
    this.add(secrets);
  }

  add(secrets: Iterable<string | undefined>): void {
    for (const secret of secrets) {
      if (!secret || this.#secrets.has(secret)) continue;
      this.#secrets.add(secret);
      for (const spelling of new Set(spellingsOf(secret))) this.#addSpelling(spelling);
    }
  }

  /** Returns the text without secrets. If the text was truncated, also removes the beginning of a secret at the end of the text. */
  hide(text: string): string {
    return this.hiding()(text);
  }

  /** Returns a version of {@link Mask.hide} for several strings that share one limit on the amount of work. */
  hiding(): (text: string) => string {
    const quota = { remaining: maxSteps };
    return (text) => this.#hide(text, quota);
  }

  #hide(text: string, quota: { remaining: number }): string {
    const kept: string[] = [];
    let end = 0; // end of the part already processed
    let isHiding = false;
    for (let at = 0; at + this.#minLength <= text.length; at++) {
      const length = this.#lengthAt(text, at, quota);
      if (quota.remaining < 0) return "***";
      if (length === 0 || isOfOwnUrl(text, at, length)) continue;
      if (!isHiding || at > end) kept.push(text.slice(end, at), "***");
      isHiding = true;
      end = Math.max(end, at + length);
    }
    return [...kept, text.slice(end)].join("");
  }

  #lengthAt(text: string, at: number, quota: { remaining: number }): number {
    if (!this.#begins[hashAt(text, at)]) return 0;
    let longest = 0;
    for (const length of this.#lengths)
      if (this.#spellings.has(text.slice(at, at + length))) longest = Math.max(longest, length);
    const candidates = this.#spellings.get(text.slice(at, at + minSecretLength));
    if (!candidates) return longest;
    const rest = text.endsWith(ellipsis) ? text.slice(at, -ellipsis.length) : "";
    for (const each of candidates) {
      quota.remaining -= each.length;
      if (text.startsWith(each, at)) longest = Math.max(longest, each.length);
      else if (rest.length >= minSecretLength && each.startsWith(rest)) longest = Math.max(longest, rest.length);
    }
    return longest;
  }

  #addSpelling(spelling: string): void {
    if (spelling.length < this.#minLength) return;
    if (spelling.length < minSecretLength) this.#lengths.add(spelling.length);
    if (spelling.length === 1) this.#begins.fill(1);
    this.#begins[hashAt(spelling, 0)] = 1;
    const beginning = spelling.slice(0, minSecretLength);
    const alike = this.#spellings.get(beginning) ?? new Set();
    this.#spellings.set(beginning, alike.add(spelling));
  }
}

/** The beginning of the operator's own URLs, which is public. Hiding part of it would reveal that this part is a secret. */
const ownPath = "/cgi-bin/luci/sdewan/";

/** Reports whether a part of a string lies within {@link ownPath}. */
function isOfOwnUrl(text: string, at: number, length: number): boolean {
  if (length > ownPath.length) return false;
  const beginning = Math.max(0, at + length - ownPath.length);
  return text.slice(beginning, at + ownPath.length).includes(ownPath);
}

function hidden(text: string, secret: string): string {
  if (!ownPath.includes(secret)) return text.replaceAll(secret, "***");
  const parts = text.split(ownPath);
  return parts.map((part) => part.replaceAll(secret, "***")).join(ownPath);
}

const hashes = 65_536;
const hashAt = (text: string, at: number): number =>
  (text.charCodeAt(at) * 257 + (text.charCodeAt(at + 1) || 0)) & (hashes - 1);

/** Puts a text on one line and removes terminal control characters. */
export const oneLine = (text: string): string => text.replaceAll(control, " ");

/** Prepares a message for a status: removes secrets, puts it on one line, and limits its length. */
export function masked(
  message: string,
  secrets: readonly (string | undefined)[],
  maxLength: number = maxMessageLength,
): string {
  const spellings = new Set(secrets.flatMap((secret) => (secret ? spellingsOf(secret) : [])));
  const longestFirst = [...spellings].filter(Boolean).sort((a, b) => b.length - a.length);
  const text = oneLine(longestFirst.reduce(hidden, message));
  return text.length > maxLength ? `${text.slice(0, maxLength).toWellFormed()}...` : text;
}

/**
 * Returns the forms in which a CNF may repeat a value: trimmed, in pieces, escaped for JSON or a URL, decoded from
 * base64, or encoded as base64.
 */
function spellingsOf(secret: string): string[] {
  const pieces = secret.split(/[_^]{3,}/).flatMap((piece) => [piece, Buffer.from(piece, "base64").toString("utf8")]);
  const values = [secret, secret.trim(), ...pieces, ...pieces.map((piece) => piece.trim())];
  const long = values.filter((value) => value === secret || value === secret.trim() || value.length >= 8);
  return long.flatMap((value) => [
    value,
    JSON.stringify(value).slice(1, -1),
    JSON.stringify(value).slice(1, -1).replaceAll("/", "\\/"),
    ...(value.length >= 8 ? [encodeURIComponent(value.toWellFormed()), Buffer.from(value).toString("base64")] : []),
  ]);
}
