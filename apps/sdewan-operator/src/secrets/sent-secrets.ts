/** So many texts are remembered of one CNF, and of all so many characters; who was not sent for longest is forgotten. */
const mostTexts = 4_096;
const mostCharacters = 4 * 1024 * 1024;

const nothing: ReadonlySet<string> = new Set();

/** What secrets CNFs were sent, by their purpose: those that resources had before too, since a CNF may still repeat them. */
export class SentSecrets {
  readonly #byPurpose = new Map<string, Set<string>>();
  #characters = 0;
  #revision = 0;

  /** Higher after each text that is new. */
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
      if (sent.size > mostTexts) this.#forgetOldest(purpose, sent);
    }
    while (this.#characters > mostCharacters) {
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
