/** The answer of a name server. */
export type DnsResult = readonly string[] | "NXDOMAIN" | "SERVFAIL" | "hangs";

const codes = { NXDOMAIN: "ENOTFOUND", SERVFAIL: "EAI_AGAIN" } as const;

/** The names of the world and their answers. */
export class Dns {
  readonly #answers = new Map<string, DnsResult>();

  set(name: string, answer: DnsResult): void {
    this.#answers.set(name, answer);
  }

  answerTo(name: string): DnsResult {
    return this.#answers.get(name) ?? "NXDOMAIN";
  }

  readonly resolve = async (name: string): Promise<string[]> => {
    const answer = this.answerTo(name);
    if (answer === "hangs") return new Promise(() => {});
    if (typeof answer === "string") throw Object.assign(new Error(`${answer} ${name}`), { code: codes[answer] });
    return [...answer];
  };
}
