const longestMessage = 2_000;
/** What a terminal takes for more than text, line breaks among it. */
const control = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;

/** Shorter ones are told by chance as often as not. */
const shortest = 4;
/** What ends a text that was cut. */
const ellipsis = "...";

/** So many characters are compared with secrets, for all that is hidden together; what is beyond is hidden whole. */
const mostSteps = 20_000_000;

/**
 * Hides many secrets of whoever they are. What it costs depends on how long a text is, hardly on how many secrets there are, and is
 * bounded where texts and secrets are made for each other. Those of less than four characters are not hidden unless it is asked for.
 */
export class Mask {
  readonly #secrets = new Set<string>();
  /** The spellings of them by how they begin. */
  readonly #spellings = new Map<string, Set<string>>();
  /** Of spellings that are shorter than that. */
  readonly #lengths = new Set<number>();
  /** By the hash of their first two characters: most of a text is passed over by that. */
  readonly #begins = new Uint8Array(hashes);
  readonly #least: number;

  constructor(secrets: Iterable<string | undefined> = [], { short = false } = {}) {
    this.#least = short ? 1 : shortest;
    this.add(secrets);
  }

  add(secrets: Iterable<string | undefined>): void {
    for (const secret of secrets) {
      if (!secret || this.#secrets.has(secret)) continue;
      this.#secrets.add(secret);
      for (const spelling of new Set(spellingsOf(secret))) this.#addSpelling(spelling);
    }
  }

  /** The text without them, and without the beginning of one at the end of a text that was cut. */
  hide(text: string): string {
    return this.hiding()(text);
  }

  /** {@link Mask.hide} for many texts, which share what it may cost. */
  hiding(): (text: string) => string {
    const budget = { left: mostSteps };
    return (text) => this.#hide(text, budget);
  }

  #hide(text: string, budget: { left: number }): string {
    const kept: string[] = [];
    let end = 0; // of what is hidden or kept so far
    let isHiding = false;
    for (let at = 0; at + this.#least <= text.length; at++) {
      const length = this.#lengthAt(text, at, budget);
      if (budget.left < 0) return "***";
      if (length === 0 || isOfOwnUrl(text, at, length)) continue;
      if (!isHiding || at > end) kept.push(text.slice(end, at), "***");
      isHiding = true;
      end = Math.max(end, at + length);
    }
    return [...kept, text.slice(end)].join("");
  }

  #lengthAt(text: string, at: number, budget: { left: number }): number {
    if (!this.#begins[hashAt(text, at)]) return 0;
    let longest = 0;
    for (const length of this.#lengths)
      if (this.#spellings.has(text.slice(at, at + length))) longest = Math.max(longest, length);
    const candidates = this.#spellings.get(text.slice(at, at + shortest));
    if (!candidates) return longest;
    const rest = text.endsWith(ellipsis) ? text.slice(at, -ellipsis.length) : "";
    for (const each of candidates) {
      budget.left -= each.length;
      if (text.startsWith(each, at)) longest = Math.max(longest, each.length);
      else if (rest.length >= shortest && each.startsWith(rest)) longest = Math.max(longest, rest.length);
    }
    return longest;
  }

  #addSpelling(spelling: string): void {
    if (spelling.length < this.#least) return;
    if (spelling.length < shortest) this.#lengths.add(spelling.length);
    if (spelling.length === 1) this.#begins.fill(1);
    this.#begins[hashAt(spelling, 0)] = 1;
    const beginning = spelling.slice(0, shortest);
    const alike = this.#spellings.get(beginning) ?? new Set();
    this.#spellings.set(beginning, alike.add(spelling));
  }
}

/** The beginning of the operator's own URLs, which everybody knows. Hiding a part of it would tell that this part is a secret. */
const ownPath = "/cgi-bin/luci/sdewan/";

/** Reports whether a part of a text lies within {@link ownPath}. */
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

/** The text in one line, without what a terminal takes for more than text. */
export const oneLine = (text: string): string => text.replaceAll(control, " ");

/** A message without secrets, in one line, and not longer than a status should carry. */
export function masked(
  message: string,
  secrets: readonly (string | undefined)[],
  longest: number = longestMessage,
): string {
  const spellings = new Set(secrets.flatMap((secret) => (secret ? spellingsOf(secret) : [])));
  const longestFirst = [...spellings].filter(Boolean).sort((a, b) => b.length - a.length);
  const text = oneLine(longestFirst.reduce(hidden, message));
  return text.length > longest ? `${text.slice(0, longest).toWellFormed()}...` : text;
}

/** The ways in which a CNF may repeat a value: trimmed, piece by piece, escaped as in JSON or in a URL, decoded from base64 and encoded. */
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
