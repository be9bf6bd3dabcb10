import { type DeepReadonly, ignoreNotFound, isForbidden, keyOf } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import { Secret } from "@kubewright/client/kinds";
import { BadSecretError } from "./bad-secret-error.ts";
import type { SecretReference } from "./references.ts";
import { secretText } from "./secret-text.ts";

/** What is in a Secret under one key, as the CNF wants it. */
export interface SecretValue {
  readonly text: string;
  /** Of the Secret. */
  readonly version: string;
}

interface Known {
  readonly version: string;
  readonly values: Map<string, string>;
}

/** So many Secrets are remembered at most; the oldest is read anew. */
const mostKnown = 4_096;
/** A token of a ServiceAccount is for nobody but the API server. */
const tokenType = "kubernetes.io/service-account-token";

/**
 * Reads the values that resources refer to. A cache need not hold more of Secrets than their metadata: what is asked for is read
 * from the API server, and once only for each version of a Secret.
 */
export class SecretStore {
  readonly #live: Reader | undefined;
  readonly #known = new Map<string, Known>();

  /** @param live reads Secrets with their data. Default: whoever is handed in reads them so */
  constructor(live?: Reader) {
    this.#live = live;
  }

  /**
   * The value that a field of an object refers to.
   *
   * @param namespace of the object
   * @throws {BadSecretError} if there is none, or none that can be sent to a CNF
   */
  async value(reader: Reader, namespace: string | undefined, reference: SecretReference): Promise<SecretValue> {
    const { ref, name, key, form } = reference;
    const at = keyOf({ metadata: { name, ...(namespace ? { namespace } : {}) } });
    const seen = await reader.get(Secret, at).catch(ignoreNotFound);
    const slot = `${form} ${key}`;
    const known = this.#known.get(at);
    const text = known?.version === seen?.metadata.resourceVersion ? known?.values.get(slot) : undefined;
    if (seen && known && text !== undefined) return { text, version: known.version };
    const secret = seen && (await this.#read(reader, at, ref));
    if (!secret) {
      this.#known.delete(at);
      throw new BadSecretError(`spec.${ref}: the Secret ${at} is not there: create it, with the key ${key}`);
    }
    const found = valueIn(secret, `spec.${ref}: the Secret ${at}`, reference);
    this.#remember(at, secret.metadata.resourceVersion ?? "", slot, found);
    return { text: found, version: secret.metadata.resourceVersion ?? "" };
  }

  async #read(reader: Reader, at: string, ref: string): Promise<DeepReadonly<Secret> | undefined> {
    try {
      return await (this.#live ?? reader).get(Secret, at);
    } catch (error) {
      if (isForbidden(error))
        throw new BadSecretError(`spec.${ref}: the operator may not read the Secret ${at}: its role has to allow that`);
      return ignoreNotFound(error);
    }
  }

  #remember(at: string, version: string, slot: string, text: string): void {
    const before = this.#known.get(at);
    const known = before?.version === version ? before : { version, values: new Map<string, string>() };
    known.values.set(slot, text);
    this.#known.delete(at);
    this.#known.set(at, known);
    if (this.#known.size > mostKnown)
      for (const oldest of [...this.#known.keys()].slice(0, 1)) this.#known.delete(oldest);
  }
}

function valueIn({ data = {}, type }: DeepReadonly<Secret>, which: string, { key, form }: SecretReference): string {
  if (type === tokenType) throw new BadSecretError(`${which} is of type ${tokenType}, whose contents go to no CNF`);
  const value = Object.hasOwn(data, key) ? data[key] : undefined;
  if (value === undefined) throw new BadSecretError(`${which} has no key ${key}: add it`);
  const shown = secretText(value, form);
  if ("why" in shown) throw new BadSecretError(`${which}: the value of the key ${key} ${shown.why}`);
  return shown.text;
}
