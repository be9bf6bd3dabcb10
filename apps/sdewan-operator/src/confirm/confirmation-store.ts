import { type DeepReadonly, ignoreNotFound, isNotFound } from "@kubewright/apimachinery";
import type { Reader, ReadWriter } from "@kubewright/client";
import { Deployment, Secret } from "@kubewright/client/kinds";
import type { Logger } from "@kubewright/log";
import { SecretMetadata } from "../cnf/secret-cache.ts";
import { type CnfConfirmations, type ConfirmedSet, decoded, encoded } from "./confirmed-set.ts";

export interface ConfirmationStoreOptions {
  /** Client for the operator's own namespace. Also reads Deployments. */
  readonly client: ReadWriter;
  /** Reader that does not use a cache. */
  readonly live: Reader;
  /** Namespace in which the Secrets are stored. */
  readonly namespace: string;
  readonly logger: Logger;
  /** Maximum size of a Secret's data, in bytes of base64. Default 900 KiB, because API servers accept at most 1 MiB. */
  readonly maxBytes?: number | undefined;
}

const usualMaxBytes = 900 * 1024;
const dataKey = "confirmed";
const namePrefix = "sdewan-confirmed-";
/** Label of the Secrets. */
const label = "sdewan.akraino.org/confirmed-set";
const deploymentAnnotation = "sdewan.akraino.org/deployment";

/** Thrown if a CNF's confirmed sets do not fit into a Secret. */
export class SetTooLargeError extends Error {
  override readonly name = "SetTooLargeError";
}

/**
 * The confirmations of one CNF. Every change must be saved. Once saving has failed, nothing more is saved, because the
 * stored content is unknown; read the confirmations again.
 */
export class StoredConfirmations implements CnfConfirmations {
  readonly deployment: DeepReadonly<Deployment>;
  readonly sets: Map<string, ConfirmedSet>;
  holds: CnfConfirmations["holds"];
  readonly #options: ConfirmationStoreOptions;
  #version: string | undefined;
  #saving: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(
    options: ConfirmationStoreOptions,
    deployment: DeepReadonly<Deployment>,
    { sets, holds }: CnfConfirmations,
    version: string | undefined,
  ) {
    this.#options = options;
    this.deployment = deployment;
    this.sets = sets;
    this.holds = holds;
    this.#version = version;
  }

  /** True after a failure to save. */
  get isBroken(): boolean {
    return this.#failure !== undefined;
  }

  /** Stores the state. Calls that arrive during a write share the next write. */
  save(): Promise<void> {
    const before = this.#saving;
    this.#next ??= before
      .catch(() => {}) // reported to its own caller
      .then(() => {
        this.#next = undefined;
        this.#saving = this.#writeUnlessBroken();
        return this.#saving;
      });
    return this.#next;
  }

  async #writeUnlessBroken(): Promise<void> {
    if (this.#failure) throw this.#failure.error;
    try {
      await this.#write();
    } catch (error) {
      this.#failure = { error };
      throw error;
    }
  }

  async #write(): Promise<void> {
    const { client, namespace, maxBytes = usualMaxBytes } = this.#options;
    const text = encoded(this).toString("base64");
    if (text.length > maxBytes) throw new SetTooLargeError(`${text.length} bytes do not fit into a Secret`);
    const { uid = "", namespace: at = "", name: of } = this.deployment.metadata;
    const name = secretNameOf(uid);
    const data = { [dataKey]: text };
    if (this.#version === undefined) {
      const metadata = {
        ...{ name, namespace, labels: { [label]: "true" } },
        annotations: { [deploymentAnnotation]: `${at}/${of}` },
      };
      const { apiVersion, kind } = { apiVersion: "v1", kind: "Secret" } as const;
      const created = await client.create(Secret, { apiVersion, kind, metadata, type: "Opaque", data });
      this.#version = created.metadata.resourceVersion;
      return;
    }
    const target = { metadata: { name, namespace, resourceVersion: this.#version } };
    const patched = await client.patch(Secret, target, { data }, { optimisticLock: true });
    this.#version = patched.metadata.resourceVersion;
  }
}

/**
 * Stores each CNF's confirmations in a Secret in the operator's namespace, because they contain the CNF's keys. The
 * Secret is read once, and written after each change.
 */
export class ConfirmationStore {
  readonly #options: ConfirmationStoreOptions;
  /** The known confirmations, keyed by Deployment UID. */
  readonly #known = new Map<string, Promise<StoredConfirmations>>();

  constructor(options: ConfirmationStoreOptions) {
    this.#options = options;
  }

  /**
   * Returns the confirmations of a CNF.
   *
   * @throws the API server's error
   */
  async of(deployment: DeepReadonly<Deployment>): Promise<StoredConfirmations> {
    const { uid = "" } = deployment.metadata;
    for (;;) {
      const known = this.#known.get(uid) ?? this.#read(deployment);
      this.#known.set(uid, known);
      const found = await known.catch((error: unknown) => ({ error }));
      if (!("error" in found) && !found.isBroken) return found;
      if (this.#known.get(uid) === known) this.#known.delete(uid);
      if ("error" in found) throw found.error;
    }
  }

  /** Deletes the confirmations of a CNF, if this process has read any. */
  async drop({ metadata: { uid = "" } }: DeepReadonly<Deployment>): Promise<void> {
    if (!this.#known.has(uid)) return;
    await this.#delete(secretNameOf(uid));
    this.#known.delete(uid);
  }

  /** Deletes all stored confirmations, except those of existing Deployments that `isConfirmed` selects. */
  async sweep(isConfirmed: (deployment: DeepReadonly<Deployment>) => boolean): Promise<void> {
    const { client, live, namespace } = this.#options;
    // Only names and versions are read, because nothing here needs the contents.
    const secrets = await live.list(SecretMetadata, { namespace, labels: { [label]: "true" } });
    if (secrets.length === 0) return;
    const uids = (await client.list(Deployment)).filter(isConfirmed).map(({ metadata }) => metadata.uid ?? "");
    const kept = new Set(uids.map(secretNameOf));
    for (const uid of this.#known.keys()) if (!kept.has(secretNameOf(uid))) this.#known.delete(uid);
    for (const { metadata } of secrets) if (!kept.has(metadata.name)) await this.#delete(metadata.name);
  }

  async #read(deployment: DeepReadonly<Deployment>): Promise<StoredConfirmations> {
    const { live, namespace, logger } = this.#options;
    const name = secretNameOf(deployment.metadata.uid ?? "");
    const secret = await live.get(Secret, { namespace, name }).catch(ignoreNotFound);
    const text = secret?.data?.[dataKey] ?? "";
    let contents: CnfConfirmations = { sets: new Map(), holds: [] };
    try {
      if (text !== "") contents = decoded(Buffer.from(text, "base64"));
    } catch (err) {
      logger.warn({ err, secret: `${namespace}/${name}` }, "cannot read the confirmed sets; starting with empty sets");
    }
    return new StoredConfirmations(this.#options, deployment, contents, secret?.metadata.resourceVersion);
  }

  async #delete(name: string): Promise<void> {
    const { client, namespace } = this.#options;
    await client.delete(Secret, { namespace, name }).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  }
}

const secretNameOf = (uid: string): string => `${namePrefix}${uid.toLowerCase()}`;
