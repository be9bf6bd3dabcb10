/**
 * Which CNFs a resource may configure, by namespaces. A CNF receives what its resources say, keys included, so whoever may
 * create a Deployment in a namespace that is in scope can have them sent there.
 */
export class CnfScope {
  /** As the flag has it: `same`, `*`, or namespaces, of which one may be `same`. */
  readonly text: string;
  readonly #namespaces: ReadonlySet<string>;

  private constructor(namespaces: readonly string[]) {
    this.text = namespaces.join(",");
    this.#namespaces = new Set(namespaces);
  }

  /** @throws {Error} for what is neither `same` nor `*` nor a list of namespaces */
  static from(namespaces: string | readonly string[]): CnfScope {
    const names = typeof namespaces === "string" ? namespaces.split(",") : namespaces;
    const trimmed = names.map((name) => name.trim());
    const wrong = trimmed.find((name) => name !== "*" && !(label.test(name) && name.length <= longestName));
    if (wrong !== undefined || trimmed.length === 0)
      throw new Error(`want same, * or a list of namespaces such as a,b, not ${JSON.stringify(wrong ?? "")}`);
    return new CnfScope(trimmed);
  }

  /** Whether a resource may configure a CNF. */
  allows(resourceNamespace: string | undefined, cnfNamespace: string | undefined): boolean {
    if (this.#namespaces.has(anywhere) || this.#namespaces.has(cnfNamespace ?? "")) return true;
    return this.#namespaces.has(same) && resourceNamespace === cnfNamespace;
  }

  /** Where CNFs may be; nothing: anywhere. */
  get namespaces(): readonly string[] | undefined {
    return this.#namespaces.has(anywhere) || this.#namespaces.has(same) ? undefined : [...this.#namespaces];
  }

  /** What the scope is, for who meets its limits. */
  get reason(): string {
    const flag = `--cnf-namespaces=${this.text}`;
    return this.text === same
      ? `${flag} lets a resource configure CNFs of its own namespace only`
      : `${flag} lets a resource configure CNFs of these namespaces only`;
  }
}

const same = "same";
const anywhere = "*";
const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const longestName = 63;

/** A resource configures CNFs of its own namespace. */
export const ownNamespace: CnfScope = CnfScope.from(same);
/** A resource configures the CNF of its purpose, wherever that is. */
export const everyNamespace: CnfScope = CnfScope.from(anywhere);
