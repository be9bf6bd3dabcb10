/**
 * Maximum number of strings per CNF, and maximum number of characters for all CNFs. If there are more, the secrets of the CNF that was
 * written to least recently are dropped first.
 */
const maxTexts = 4_096;
const maxCharacters = 4 * 1024 * 1024;

const nothing: ReadonlySet<string> = new Set();

/** The secrets sent to CNFs, keyed by purpose. Includes former values, because CNFs may still repeat them. */
export class SentSecrets {
  readonly #byPurpose = new Map<string, Set<string>>();
  #characters = 0;
  #revision = 0;

  /** Number that increases with each new secret. */
  get revision(): number {
    return this.#revision;
  }

  to(purpose: string): ReadonlySet<string> {
    return this.#byPurpose.get(purpose) ?? nothing;
  }

  note(purpose: string, texts: readonly string[]): void {
    if (texts.length === 0) return;
    const sent = this.#byPurpose.get(purpose) ?? new Set<string>();
    this.#byPurpose.delete(purpose);
    this.#byPurpose.set(purpose, sent);
    for (const text of texts) {
      if (sent.delete(text)) this.#characters -= text.length;
      else this.#revision++;
      sent.add(text);
      this.#characters += text.length;
      if (sent.size > maxTexts) this.#forgetOldest(purpose, sent);
    }
    while (this.#characters > maxCharacters) {
      const [oldest] = this.#byPurpose;
      if (!oldest) return;
      this.#forgetOldest(...oldest);
    }
  }

  #forgetOldest(purpose: string, sent: Set<string>): void {
    const [oldest] = sent;
    if (oldest !== undefined) {
      sent.delete(oldest);
      this.#characters -= oldest.length;
    }
    if (sent.size === 0) this.#byPurpose.delete(purpose);
  }
}
