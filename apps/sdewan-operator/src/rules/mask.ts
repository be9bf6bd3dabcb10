const longestMessage = 2_000;
/** What a terminal takes for more than text, line breaks among it. */
const control = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;

/** Shorter ones are told by chance as often as not. */
const shortest = 4;
/** What ends a text that was cut. */
const ellipsis = "...";

/**
 * Hides many secrets of whoever they are. What it costs depends on how long a text is, not on how many secrets there are. Those of less than
 * four characters are not hidden.
 */
export class Mask {
  readonly #secrets = new Set<string>();
  /** The spellings of them by how they begin. */
  readonly #spellings = new Map<string, Set<string>>();

  constructor(secrets: Iterable<string | undefined> = []) {
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
    const kept: string[] = [];
    let end = 0; // of what is hidden or kept so far
    let isHiding = false;
    for (let at = 0; at + shortest <= text.length; at++) {
      const length = this.#lengthAt(text, at);
      if (length === 0) continue;
      if (!isHiding || at > end) kept.push(text.slice(end, at), "***");
      isHiding = true;
      end = Math.max(end, at + length);
    }
    return [...kept, text.slice(end)].join("");
  }

  #lengthAt(text: string, at: number): number {
    const candidates = this.#spellings.get(text.slice(at, at + shortest));
    if (!candidates) return 0;
    const rest = text.endsWith(ellipsis) ? text.slice(at, -ellipsis.length) : "";
    let longest = 0;
    for (const each of candidates) {
      if (text.startsWith(each, at)) longest = Math.max(longest, each.length);
      else if (rest.length >= shortest && each.startsWith(rest)) longest = Math.max(longest, rest.length);
    }
    return longest;
  }

  #addSpelling(spelling: string): void {
    if (spelling.length < shortest) return;
    const beginning = spelling.slice(0, shortest);
    const alike = this.#spellings.get(beginning) ?? new Set();
    this.#spellings.set(beginning, alike.add(spelling));
  }
}

/** A message without secrets, in one line, and not longer than a status should carry. */
export function masked(
  message: string,
  secrets: readonly (string | undefined)[],
  longest: number = longestMessage,
): string {
  const spellings = new Set(secrets.flatMap((secret) => (secret ? spellingsOf(secret) : [])));
  const longestFirst = [...spellings].filter(Boolean).sort((a, b) => b.length - a.length);
  const text = longestFirst.reduce((rest, secret) => rest.replaceAll(secret, "***"), message).replaceAll(control, " ");
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
