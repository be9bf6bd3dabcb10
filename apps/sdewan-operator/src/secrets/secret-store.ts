import { type DeepReadonly, isForbidden, isPathSegmentName, keyOf } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import type { Secret } from "@kubewright/client/kinds";
import { SecretCache } from "../cnf/secret-cache.ts";
import { BadSecretError } from "./bad-secret-error.ts";
import type { SecretReference } from "./references.ts";
import { secretText } from "./secret-text.ts";

/** The value of a key in a Secret, in the form that the CNF expects. */
export interface SecretValue {
  readonly text: string;
  /** Version of the Secret. */
  readonly version: string;
}

/** Type of Secrets with the token of a ServiceAccount, which must be sent only to the API server. */
const tokenType = "kubernetes.io/service-account-token";

/** Reads the values to which resources refer. */
export class SecretStore {
  readonly #secretCache: SecretCache;

  constructor(secretCache = new SecretCache()) {
    this.#secretCache = secretCache;
  }

  /**
   * Returns the value to which a field of an object refers.
   *
   * @param namespace the object's namespace
   * @throws {BadSecretError} if the value does not exist or cannot be sent to a CNF
   */
  async value(reader: Reader, namespace: string | undefined, reference: SecretReference): Promise<SecretValue> {
    const { ref, name, key, form } = reference;
    if (isPathSegmentName(name).length > 0)
      throw new BadSecretError(
        `spec.${ref}.name: "${name}" is not a valid Secret name: set it to the name of a Secret in this namespace`,
      );
    const at = keyOf({ metadata: { name, ...(namespace ? { namespace } : {}) } });
    const which = `spec.${ref}: the Secret ${at}`;
    const found = await this.#secretCache
      .value(reader, at, `${form} ${key}`, (secret) => valueIn(secret, which, reference))
      .catch((error: unknown) => {
        if (!isForbidden(error)) throw error;
        throw new BadSecretError(
          `spec.${ref}: the operator is not allowed to read the Secret ${at}: add this permission to its role`,
        );
      });
    if (found?.text === undefined) throw new BadSecretError(`${which} does not exist: create it, with the key ${key}`);
    return { text: found.text, version: found.version };
  }
}

function valueIn({ data = {}, type }: DeepReadonly<Secret>, which: string, { key, form }: SecretReference): string {
  if (type === tokenType) throw new BadSecretError(`${which} is of type ${tokenType}, which is never sent to a CNF`);
  const value = Object.hasOwn(data, key) ? data[key] : undefined;
  if (value === undefined) throw new BadSecretError(`${which} has no key ${key}: add it`);
  const shown = secretText(value, form);
  if ("why" in shown) throw new BadSecretError(`${which}: the value of the key ${key} ${shown.why}`);
  return shown.text;
}
