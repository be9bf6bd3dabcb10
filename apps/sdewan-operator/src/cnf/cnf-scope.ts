/**
 * Determines, based on namespaces, which CNFs a resource may configure. A CNF receives everything in its resources,
 * including keys, so anyone who is allowed to create a Deployment in one of these namespaces can obtain those keys.
 */
export class CnfScope {
  /** The value of the flag: `same`, `*`, or a list of namespaces that may contain `same`. */
  readonly text: string;
  readonly #namespaces: ReadonlySet<string>;

  private constructor(namespaces: readonly string[]) {
    this.text = namespaces.join(",");
    this.#namespaces = new Set(namespaces);
  }

  /** Parses the flag's value. @throws {Error} if the value is not `same`, `*` or a list of namespaces */
  static from(namespaces: string | readonly string[]): CnfScope {
    const names = typeof namespaces === "string" ? namespaces.split(",") : namespaces;
    const trimmed = names.map((name) => name.trim());
    const wrong = trimmed.find((name) => name !== "*" && !(label.test(name) && name.length <= maxNameLength));
    if (wrong !== undefined || trimmed.length === 0)
      throw new Error(
        `must be "same", "*" or a comma-separated list of namespaces such as "a,b", not ${JSON.stringify(wrong ?? "")}`,
      );
    return new CnfScope(trimmed);
  }

  /** Reports whether a resource may configure a CNF. */
  allows(resourceNamespace: string | undefined, cnfNamespace: string | undefined): boolean {
    if (this.#namespaces.has(anywhere) || this.#namespaces.has(cnfNamespace ?? "")) return true;
    return this.#namespaces.has(same) && resourceNamespace === cnfNamespace;
  }

  /** Namespaces in which CNFs may run. Undefined means all namespaces. */
  get namespaces(): readonly string[] | undefined {
    return this.#namespaces.has(anywhere) || this.#namespaces.has(same) ? undefined : [...this.#namespaces];
  }

  /** Explanation for users whose resource is out of scope. */
  get reason(): string {
    const flag = `--cnf-namespaces=${this.text}`;
    return this.text === same
      ? `${flag} allows a resource to configure only CNFs in its own namespace`
      : `${flag} allows a resource to configure only CNFs in these namespaces`;
  }
}

const same = "same";
const anywhere = "*";
const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const maxNameLength = 63;

/** Scope in which resources configure only CNFs in their own namespace. */
export const ownNamespace: CnfScope = CnfScope.from(same);
/** Scope in which resources configure the CNF with their purpose in any namespace. */
export const everyNamespace: CnfScope = CnfScope.from(anywhere);
