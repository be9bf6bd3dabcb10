import { type DeepReadonly, isForbidden, isPathSegmentName, keyOf } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import type { Secret } from "@kubewright/client/kinds";
import { KeptSecrets } from "../cnf/kept-secrets.ts";
import { BadSecretError } from "./bad-secret-error.ts";
import type { SecretReference } from "./references.ts";
import { secretText } from "./secret-text.ts";

/** What is in a Secret under one key, as the CNF wants it. */
export interface SecretValue {
  readonly text: string;
  /** Of the Secret. */
  readonly version: string;
}

/** A token of a ServiceAccount is for nobody but the API server. */
const tokenType = "kubernetes.io/service-account-token";

/** Reads the values that resources refer to. */
export class SecretStore {
  readonly #kept: KeptSecrets;

  constructor(kept = new KeptSecrets()) {
    this.#kept = kept;
  }

  /**
   * The value that a field of an object refers to.
   *
   * @param namespace of the object
   * @throws {BadSecretError} if there is none, or none that can be sent to a CNF
   */
  async value(reader: Reader, namespace: string | undefined, reference: SecretReference): Promise<SecretValue> {
    const { ref, name, key, form } = reference;
    if (isPathSegmentName(name).length > 0)
      throw new BadSecretError(
        `spec.${ref}.name: "${name}" cannot be the name of a Secret: set it to one of this namespace`,
      );
    const at = keyOf({ metadata: { name, ...(namespace ? { namespace } : {}) } });
    const which = `spec.${ref}: the Secret ${at}`;
    const found = await this.#kept
      .value(reader, at, `${form} ${key}`, (secret) => valueIn(secret, which, reference))
      .catch((error: unknown) => {
        if (!isForbidden(error)) throw error;
        throw new BadSecretError(`spec.${ref}: the operator may not read the Secret ${at}: its role has to allow that`);
      });
    if (found?.text === undefined) throw new BadSecretError(`${which} is not there: create it, with the key ${key}`);
    return { text: found.text, version: found.version };
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
