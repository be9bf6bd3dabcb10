import { isRecord } from "@kubewright/apimachinery";
import type { Json } from "./schema-models.ts";

/** Parameters that are never shared, because clients look for them in each operation to detect features of the server. */
const unshared: ReadonlySet<unknown> = new Set(["fieldValidation", "dryRun"]);

/**
 * Parameters that a v2 document contains only once, and to which its operations refer.
 *
 * @see kube-openapi pkg/builder parameters.go
 */
export class SharedParameters {
  readonly #byText = new Map<string, string>();
  readonly #parameters = new Map<string, Json>();

  /** All shared parameters, keyed by name and sorted. */
  get all(): Readonly<Record<string, Json>> {
    return Object.fromEntries([...this.#parameters].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Returns a reference to a shared parameter, or the parameter itself if it is specific to the operation. */
  share(parameter: Json): Json {
    if (!isShared(parameter)) return parameter;
    const text = JSON.stringify(parameter);
    const known = this.#byText.get(text) ?? this.#add(text, parameter);
    return { $ref: `#/parameters/${known}` };
  }

  #add(text: string, parameter: Json): string {
    const plain = `${String(parameter.name)}-${shortHash(text)}`;
    let name = plain;
    for (let i = 1; this.#parameters.has(name); i++) name = `${String(parameter.name)}-${i}`;
    this.#byText.set(text, name);
    this.#parameters.set(name, parameter);
    return name;
  }
}

function isShared({ name, in: place, schema }: Json): boolean {
  if (name === "name" || unshared.has(name)) return false;
  const model = isRecord(schema) ? schema.$ref : undefined;
  return place !== "body" || (typeof model === "string" && model.startsWith("#/definitions/io.k8s.apimachinery"));
}

/** Returns eight characters of a string's FNV-1 hash. */
function shortHash(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(text)) hash = ((hash * 0x100000001b3n) & 0xffffffffffffffffn) ^ BigInt(byte);
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(hash);
  return bytes.subarray(0, 6).toString("base64url");
}
