/** Converts a string to PascalCase: `secret-template` and `secretTemplate` become `SecretTemplate`. */
export function pascal(text: string): string {
  const words = text.split(/[^A-Za-z0-9]+/).filter(Boolean);
  const joined = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
  return /^[A-Za-z]/.test(joined) ? joined : `_${joined}`;
}

/** Converts a version to the form used in names: `v1beta1` becomes `V1Beta1`. */
export const versionSuffix = (version: string): string =>
  pascal(version).replace(/^(V\d+)(alpha|beta)(?=\d+$)/, (_, major: string, stage: string) => major + pascal(stage));

/** Converts a name to kebab case, for use as a file name: `CertificateRequest` becomes `certificate-request`. */
export function kebab(name: string): string {
  const parts = name.replace(/([a-z0-9])([A-Z])/g, "$1-$2").replace(/([A-Z])(?=[A-Z][a-z])/g, "$1-");
  return parts
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
}

/** Names that generated text uses, and that generated names must not shadow. */
const reserved = [
  "Array",
  "DefinedKind",
  "Kind",
  "KubeObject",
  "ObjectMeta",
  "ObjectOf",
  "Partial",
  "Record",
  "Type",
  "Unstructured",
  "_",
];

/** Generates unique names. They depend only on the order of the calls. */
export class UniqueNames {
  readonly #taken = new Set(reserved);
  /** Number of calls for each name. It makes finding a unique name fast even if many names are equal. */
  readonly #wanted = new Map<string, number>();

  /** Reports whether {@link take} would return this name. */
  isFree(name: string): boolean {
    return !this.#taken.has(name);
  }

  take(wanted: string): string {
    let name = this.#taken.has(wanted) && reserved.includes(wanted) ? `${wanted}Resource` : wanted;
    const base = name;
    let n = this.#wanted.get(base) ?? 1;
    while (this.#taken.has(name)) name = `${base}${++n}`;
    this.#wanted.set(base, n);
    this.#taken.add(name);
    return name;
  }
}
