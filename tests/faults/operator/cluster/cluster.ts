import { type Status, StatusError } from "@kubewright/apimachinery";
import type { Clock } from "@kubewright/clock";
import { SeededRandom } from "@kubewright/clock/testing";
import { ApiServer, type InProcessRequest, type InProcessResponse } from "@kubewright/kube-apiserver";
import { MemoryStorage } from "@kubewright/storage";
import { apiKinds } from "sdewan-operator";
import { type ApiResource, apiResources, apiVersionOf, collectionPath } from "./api-resource.ts";
import type { NewObject, StoredObject } from "./stored-object.ts";

export interface Key {
  readonly namespace: string;
  readonly name: string;
}

const admin = { name: "admin", groups: ["system:masters"] };
const namespaces: ApiResource = { group: "", version: "v1", plural: "namespaces", kind: "Namespace" };

/** A cluster with the embedded API server, which serves requests from this process. Its reads are immediate and always up to date. */
export class Cluster {
  readonly #server: ApiServer;
  readonly #storage: ObservedStorage;

  private constructor(server: ApiServer, storage: ObservedStorage) {
    this.#server = server;
    this.#storage = storage;
  }

  /** Starts a cluster with the operator's kinds. @param seed determines UIDs and everything else that the server generates */
  static async start(clock: Clock, seed: number, names: readonly string[]): Promise<Cluster> {
    let storage = new ObservedStorage({});
    const server = await ApiServer.start({
      listen: false,
      clock,
      random: new SeededRandom(seed),
      storage: async (parts) => {
        storage = new ObservedStorage(parts);
        return storage;
      },
      compactionIntervalMs: false,
      disableAdmissionPlugins: ["ServiceAccount"],
      crds: apiKinds.map(({ crd }) => crd),
    });
    const cluster = new Cluster(server, storage);
    for (const name of names) await cluster.create(namespaces, "", { metadata: { name } });
    return cluster;
  }

  /** Called with every object that was changed, before and after. */
  set onChange(listener: (before: StoredObject, after: StoredObject) => void) {
    this.#storage.changed = listener;
  }

  /** Answers a request of a user. */
  handle(request: InProcessRequest, user: string): Promise<InProcessResponse> {
    return this.#server.handle(request, { name: user });
  }

  list(resource: ApiResource, namespace = ""): readonly StoredObject[] {
    const all = this.#storage.objects(prefixOf(resource));
    return namespace === "" ? all : all.filter(({ metadata }) => metadata.namespace === namespace);
  }

  find(resource: ApiResource, { namespace, name }: Key): StoredObject | undefined {
    return this.#storage.object(prefixOf(resource), namespace === "" ? name : `${namespace}/${name}`);
  }

  /** @throws {Error} if the object does not exist */
  get(resource: ApiResource, key: Key): StoredObject {
    const found = this.find(resource, key);
    if (!found) throw new Error(`${resource.plural} "${key.name}" not found`);
    return found;
  }

  /** @throws {StatusError} if the server refuses the object */
  create(resource: ApiResource, namespace: string, object: NewObject): Promise<StoredObject> {
    const whole = { apiVersion: apiVersionOf(resource), kind: resource.kind, ...object };
    return this.#send("POST", collectionPath(resource, namespace), whole);
  }

  /**
   * Applies a merge patch.
   *
   * @param part what the patch may change: `status`, or everything else
   * @throws {StatusError} if the server refuses the patch
   */
  patch(
    resource: ApiResource,
    { namespace, name }: Key,
    change: object,
    part: "status" | "object" = "object",
  ): Promise<StoredObject> {
    const path = `${collectionPath(resource, namespace)}/${name}${part === "status" ? "/status" : ""}`;
    return this.#send("PATCH", path, change, "application/merge-patch+json");
  }

  /** Requests a deletion, which happens once there are no finalizers. @throws {StatusError} if the object does not exist */
  async delete(resource: ApiResource, { namespace, name }: Key): Promise<void> {
    await this.#send("DELETE", `${collectionPath(resource, namespace)}/${name}`, { propagationPolicy: "Background" });
  }

  /** Drops all changes so far. */
  async compact(): Promise<void> {
    await this.#server.compact();
  }

  /** Deletes the dependents of deleted controllers, like the garbage collector. */
  async collectGarbage(): Promise<void> {
    const uids = new Set(apiResources.flatMap((resource) => this.list(resource).map(({ metadata }) => metadata.uid)));
    for (const resource of apiResources)
      for (const { metadata } of [...this.list(resource)]) {
        const { ownerReferences = [], namespace = "", name, deletionTimestamp } = metadata;
        const isOrphan = ownerReferences.some(({ controller, uid }) => controller && !uids.has(uid));
        if (isOrphan && deletionTimestamp === undefined) await this.delete(resource, { namespace, name });
      }
  }

  async stop(): Promise<void> {
    await this.#server.stop();
  }

  async #send(method: string, path: string, body: object, type = "application/json"): Promise<StoredObject> {
    const headers = { "content-type": type, "user-agent": "user" };
    const response = await this.#server.handle(
      { method, path, headers, body: Buffer.from(JSON.stringify(body)) },
      admin,
    );
    const chunks: Uint8Array[] = [];
    for await (const chunk of response.body) chunks.push(chunk);
    const answer: StoredObject & Status = JSON.parse(Buffer.concat(chunks).toString());
    if (response.status >= 400) throw new StatusError(answer);
    return answer;
  }
}

const prefixOf = ({ group, plural }: ApiResource): string =>
  group === "events.k8s.io" ? "/core/events/" : `/${group || "core"}/${plural}/`;

/** Storage whose objects can also be read without waiting. */
class ObservedStorage extends MemoryStorage {
  /** Objects by key, by the prefix of their resource. */
  readonly #collections = new Map<string, Map<string, StoredObject>>();
  changed: (before: StoredObject, after: StoredObject) => void = () => {};

  objects(prefix: string): readonly StoredObject[] {
    return [...(this.#collections.get(prefix)?.values() ?? [])];
  }

  /** @param rest namespace and name, or the name of a cluster-scoped object */
  object(prefix: string, rest: string): StoredObject | undefined {
    return this.#collections.get(prefix)?.get(prefix + rest);
  }

  override async create(...[key, object, options]: Parameters<MemoryStorage["create"]>) {
    const created = await super.create(key, object, options);
    await this.#observe(key);
    return created;
  }

  override async delete(...[key, options]: Parameters<MemoryStorage["delete"]>) {
    const deleted = await super.delete(key, options);
    await this.#observe(key);
    return deleted;
  }

  override async guaranteedUpdate(...[key, options, tryUpdate]: Parameters<MemoryStorage["guaranteedUpdate"]>) {
    const updated = await super.guaranteedUpdate(key, options, tryUpdate);
    await this.#observe(key);
    return updated;
  }

  async #observe(key: string): Promise<void> {
    const object = await this.get(key, { ignoreNotFound: true });
    const prefix = key.split("/", 3).join("/").concat("/");
    const collection = this.#collections.get(prefix) ?? new Map<string, StoredObject>();
    this.#collections.set(prefix, collection);
    const before = collection.get(key);
    if (before && object) this.changed(before, object as StoredObject);
    if (object) collection.set(key, object as StoredObject);
    else collection.delete(key);
  }
}
