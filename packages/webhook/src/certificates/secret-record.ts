import { isAlreadyExists, isConflict, isNotFound } from "@kubewright/apimachinery";
import { Secret } from "@kubewright/client/kinds";
import type { SecretData } from "./ca-state.ts";
import type { CertificateClient } from "./certificate-client.ts";

/** Keys of data and annotations to set. All other keys keep their values. */
interface SecretChange {
  readonly data: Record<string, string>;
  readonly annotations: Record<string, string>;
}

export interface ReadSecret {
  readonly data: SecretData;
  readonly annotations: Readonly<Record<string, string>>;
  /** Reference to the Secret, for events about it. */
  readonly reference: {
    readonly apiVersion: "v1";
    readonly kind: "Secret";
    readonly metadata: { readonly name: string; readonly namespace: string; readonly uid?: string };
  };
  /** Performs one write with optimistic locking. @returns false if the Secret was changed in the meantime */
  write(change: SecretChange, signal: AbortSignal): Promise<boolean>;
}

/** The Secret that all replicas share. */
export class SecretRecord {
  readonly namespace: string;
  readonly name: string;
  readonly #client: CertificateClient;
  readonly #mayCreate: boolean;

  /** @throws {Error} if `secret` is not `namespace/name` */
  constructor(client: CertificateClient, secret: string, mayCreate: boolean) {
    const [namespace, name, ...rest] = secret.split("/");
    if (!namespace || !name || rest.length > 0)
      throw new Error(
        `certificates.secret "${secret}": must be "namespace/name", such as "shop-system/webhook-server-cert"`,
      );
    this.namespace = namespace;
    this.name = name;
    this.#client = client;
    this.#mayCreate = mayCreate;
  }

  /** Reads from the API server. @throws {Error} with a remedy if the Secret does not exist */
  async read(signal: AbortSignal): Promise<ReadSecret> {
    const { namespace, name } = this;
    let secret: Awaited<ReturnType<typeof this.get>>;
    try {
      secret = await this.get(signal);
    } catch (cause) {
      if (!isNotFound(cause)) throw cause;
      if (this.#mayCreate) return this.#absent();
      throw new Error(
        `the Secret ${namespace}/${name} for the certificate does not exist; create an empty one (kubectl create secret generic ${name} -n ${namespace}), which is filled automatically`,
        { cause },
      );
    }
    const { metadata } = secret;
    return {
      data: { ...secret.data },
      annotations: { ...metadata.annotations },
      reference: { apiVersion: "v1", kind: "Secret", metadata: { name, namespace, uid: metadata.uid } },
      write: async ({ data, annotations }, signal) => {
        const changed = {
          ...secret,
          metadata: { ...metadata, annotations: { ...metadata.annotations, ...annotations } },
          data: { ...secret.data, ...data },
        };
        return attempt(this.#client.update(Secret, changed, { signal }));
      },
    };
  }

  private get(signal: AbortSignal) {
    return this.#client.get(Secret, { namespace: this.namespace, name: this.name }, { signal });
  }

  #absent(): ReadSecret {
    const { namespace, name } = this;
    return {
      data: {},
      annotations: {},
      reference: { apiVersion: "v1", kind: "Secret", metadata: { name, namespace } },
      write: ({ data, annotations }, signal) =>
        attempt(this.#client.create(Secret, { metadata: { namespace, name, annotations }, data }, { signal })),
    };
  }
}

async function attempt(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (isConflict(error) || isAlreadyExists(error)) return false;
    throw error;
  }
}
