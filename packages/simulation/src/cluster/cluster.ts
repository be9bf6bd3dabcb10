import type { KubeObject } from "@kubewright/apimachinery";
import { ApiServer, type ApiServerOptions } from "@kubewright/kube-apiserver";
import { silentLogger } from "@kubewright/log";
import { actorClock } from "../time/actor-clock.ts";
import type { Random } from "../time/random.ts";
import type { VirtualTime } from "../time/virtual-time.ts";
import { type Actor, currentActor } from "../time/virtual-time.ts";
import { type ApiCall, bodyOf, callOf, type Handle, type InProcessRequest, isWrite } from "./api-call.ts";
import {
  type Answer,
  type ClusterObject,
  collectionPath,
  keyOfObject,
  type TouchedResource,
} from "./cluster-object.ts";
import { type CollectedCluster, GarbageCollector } from "./garbage-collector.ts";

/** A write that the API server processed. */
export interface WriteRecord {
  readonly atMs: number;
  readonly by: Actor;
  readonly call: ApiCall;
  readonly status: number;
  /** Key of the object. If the server generated the name, the key contains the generated name. */
  readonly name: string;
  /** The object after the write; absent if the write failed, or the server returned no object. */
  readonly object?: ClusterObject | undefined;
  /** The object before the write, if a previous write returned it. */
  readonly old?: ClusterObject | undefined;
  /** Body of the request; absent if it is not JSON. */
  readonly sent?: unknown;
  /** False if the write failed or did not change the object. */
  readonly isEffective: boolean;
}

/** A user of the API server. */
export interface ClusterUser {
  readonly name: string;
  readonly groups?: readonly string[];
}

/** A rule of a role. */
export interface AccessRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[] | undefined;
  readonly verbs: readonly string[];
  /** The only namespace in which the rule applies. Default: all namespaces. */
  readonly namespace?: string | undefined;
}

const rbac = "rbac.authorization.k8s.io";
/** URL at which the API server calls the program. */
export const programUrl = "https://program.simulation.invalid";

/** Name of the actor that runs the built-in controllers. */
export const builtIn = "built-in controllers";

const admin: ClusterUser = { name: "admin", groups: ["system:masters"] };
/** Resources whose objects do not belong to the simulated world, because they only report information. */
const passing: ReadonlySet<string> = new Set([
  "events",
  "leases",
  "subjectaccessreviews",
  "selfsubjectaccessreviews",
  "tokenreviews",
]);

/** A cluster with an API server in this process, whose time and random numbers are controlled by the simulation. */
export class Cluster {
  readonly server: Actor;
  readonly users: Actor;
  readonly time: VirtualTime;
  readonly #api: ApiServer;
  readonly #touched = new Map<string, TouchedResource>();
  readonly #objects = new Map<string, ClusterObject>();
  /** UIDs of the existing objects that were written during the simulation. */
  readonly #uids = new Set<string>();
  readonly #collector: GarbageCollector | undefined;
  /** Called after each write to an object in the simulated world. */
  onWrite: (write: WriteRecord) => void = () => {};
  /** Called with the holder of a Lease that was written. */
  onLease: (holder: string) => void = () => {};
  #newest = 0;
  #roles = 0;

  private constructor(
    api: ApiServer,
    server: Actor,
    users: Actor,
    collected: ((cluster: Cluster) => CollectedCluster) | false = (cluster) => cluster,
  ) {
    this.#api = api;
    this.server = server;
    this.users = users;
    this.time = server.time;
    if (collected) this.#collector = new GarbageCollector(collected(this), { ...users, name: "garbage collector" });
  }

  /** Starts a cluster that serves the kinds defined by the given CRDs. */
  static async start(options: {
    readonly time: VirtualTime;
    readonly random: Random;
    readonly crds: readonly unknown[];
    /** True to check users' permissions. Default: all users have all permissions. */
    readonly hasRoles?: boolean | undefined;
    /** Storage of the API server. Default: in memory, and empty. */
    readonly storage?: ApiServerOptions["storage"];
    /**
     * Objects that the garbage collector considers when it deletes the dependents of deleted owners. Default: the objects that were written
     * during the simulation. False if the built-in controllers delete them instead.
     */
    readonly collected?: ((cluster: Cluster) => CollectedCluster) | false | undefined;
  }): Promise<Cluster> {
    const { time, random, crds, hasRoles = false, storage, collected } = options;
    const actorOf = (name: string): Actor => ({
      name,
      time,
      random,
      isDead: false,
      skewMs: 0,
      stalledUntilMs: 0,
      onRefused: () => {},
      onOutput: () => {},
    });
    const server = actorOf("API server");
    const starting = currentActor.run(server, () =>
      ApiServer.start({
        listen: false,
        clock: actorClock(),
        logger: silentLogger,
        compactionIntervalMs: false,
        historyLength: 20_000,
        disableAdmissionPlugins: ["ServiceAccount"],
        authorization: hasRoles ? ["RBAC"] : undefined,
        storage,
        crds,
      }),
    );
    const api = await time.until(starting, 60_000, "the start of the API server");
    return new Cluster(api, server, actorOf("user"), collected);
  }

  /** Resource version of the most recent write in the simulation. */
  get newestVersion(): number {
    return this.#newest;
  }

  /** Resources that were written to. */
  get touched(): readonly TouchedResource[] {
    return [...this.#touched.values()];
  }

  /**
   * Returns a function that handles a user's requests and attributes the writes to an actor. A write that the server has received is
   * completed even if the process that sent it is killed.
   */
  handleAs(user: ClusterUser, by: Actor): Handle {
    return async (request) => {
      const call = callOf(request);
      const { signal: _, ...whole } = request;
      const sent = call && isWrite(call) ? whole : this.#cancellable(request);
      const response = await this.#inServer(() => this.#api.handle(sent, user));
      const shielded = { ...response, body: inContext(response.body, this.server) };
      if (!call || !isWrite(call)) return shielded;
      const body = await bodyOf(shielded);
      const isLease = call.resource === "leases" && response.status < 300;
      if (isLease && by.name !== builtIn) this.onLease(holderIn(body));
      if (!passing.has(call.resource)) this.#record(call, by, response.status, body, request.body);
      return { ...response, body: once(body) };
    };
  }

  /** Sends a request on behalf of the users. */
  async request(
    method: string,
    path: string,
    body?: object,
    { contentType = "application/json", by = this.users, user = admin } = {},
  ): Promise<Answer> {
    return answerOf(this.handleAs(user, by), method, path, body, contentType);
  }

  /** Sends a request that does not belong to the simulated world. */
  #asAdmin(method: string, path: string, body?: object): Promise<Answer> {
    const handle: Handle = async (request) => {
      const response = await this.#inServer(() => this.#api.handle(request, admin));
      return { ...response, body: inContext(response.body, this.server) };
    };
    return answerOf(handle, method, path, body);
  }

  /** Grants permissions to a user. The roles do not belong to the simulated world. @throws {Error} if the server rejects a role */
  async grant(user: string, rules: readonly AccessRule[]): Promise<void> {
    for (const [namespace, each] of Map.groupBy(rules, (rule) => rule.namespace)) {
      const [prefix, folder] = namespace === undefined ? ["Cluster", "cluster"] : ["", `namespaces/${namespace}/`];
      const metadata = { name: `${user}-${++this.#roles}` };
      const subjects = [{ apiGroup: rbac, kind: "User", name: user }];
      const roleRef = { apiGroup: rbac, kind: `${prefix}Role`, name: metadata.name };
      if (namespace !== undefined) await this.#install("/api/v1/namespaces", { metadata: { name: namespace } });
      const own = each.map(({ apiGroups, resources, resourceNames, verbs }) =>
        resourceNames ? { apiGroups, resources, resourceNames, verbs } : { apiGroups, resources, verbs },
      );
      await this.#install(`/apis/${rbac}/v1/${folder}roles`, { metadata, rules: own });
      await this.#install(`/apis/${rbac}/v1/${folder}rolebindings`, { metadata, subjects, roleRef });
    }
  }

  /** Creates an object that does not belong to the simulated world, unless it already exists. */
  async #install(path: string, body: object): Promise<void> {
    const { status, body: answer } = await this.#asAdmin("POST", path, body);
    if (status >= 300 && status !== 409) throw new Error(`POST ${path}: ${status} ${String(answer.message)}`);
  }

  /**
   * Returns all objects that were written during the simulation, ordered by kind and key. Objects created by the server
   * or the built-in controllers are not included.
   */
  async objects(resources: readonly TouchedResource[] = this.touched): Promise<ClusterObject[]> {
    const found: ClusterObject[] = [];
    for (const resource of resources) {
      const { status, body } = await this.request("GET", collectionPath(resource));
      if (status !== 200) continue;
      const { apiVersion, kind, items = [] } = body as { apiVersion: string; kind: string; items?: ClusterObject[] };
      const item = kind.replace(/List$/, "");
      for (const object of items)
        if (this.#uids.has(object.metadata.uid ?? "")) found.push({ ...object, apiVersion, kind: item });
    }
    return found.sort((a, b) => (keyOfObject(a) < keyOfObject(b) ? -1 : 1));
  }

  /** Returns the path of an object in the simulated world. */
  pathOf(object: ClusterObject): string | undefined {
    const slash = object.apiVersion.lastIndexOf("/");
    const [group, version] = [object.apiVersion.slice(0, Math.max(slash, 0)), object.apiVersion.slice(slash + 1)];
    const resource = this.#kinds.get(`${group}/${object.kind}`);
    if (!resource) return undefined;
    const { namespace, name } = object.metadata;
    return `${collectionPath({ group, version, resource, isNamespaced: namespace !== undefined }, namespace)}/${name}`;
  }

  readonly #kinds = new Map<string, string>();

  /** Adds a resource to the simulated world. */
  touch(resource: TouchedResource, kind?: string): void {
    this.#touched.set(`${resource.resource}.${resource.group}`, resource);
    if (kind !== undefined) this.#kinds.set(`${resource.group}/${kind}`, resource.resource);
  }

  /**
   * Makes the API server call the program's webhooks and conversions.
   *
   * @param objects webhook configurations, and CRDs with conversion webhooks, that call {@link programUrl}
   * @param handle handles the calls
   * @throws {Error} if the API server does not accept an object
   */
  async callProgram(objects: readonly KubeObject[], handle: Handle): Promise<void> {
    this.#api.connectInProcess(new URL(programUrl).host, handle);
    for (const object of objects) {
      const plural = `${object.kind.toLowerCase()}s`;
      const path = `/apis/${object.apiVersion}/${plural}`;
      const { status, body: found } = await this.#asAdmin("GET", `${path}/${object.metadata.name}`);
      const { resourceVersion } = isObject(found) ? found.metadata : {};
      const changed = { ...object, metadata: { ...object.metadata, resourceVersion } };
      const answer =
        status === 200
          ? await this.#asAdmin("PUT", `${path}/${object.metadata.name}`, changed)
          : await this.#asAdmin("POST", path, object);
      if (answer.status >= 300)
        throw new Error(
          `the API server does not accept ${object.kind} ${object.metadata.name}: ${String(answer.body.message)}`,
        );
    }
  }

  /** Passes the API server's calls to webhooks and conversions at a host on to a function. */
  serveHost(host: string, handle: Handle): void {
    this.#api.connectInProcess(host, handle);
  }

  /** Kills a process, so that the server ends its requests. */
  kill(process: { kill(): void }): void {
    this.#inServer(() => process.kill());
  }

  async stop(): Promise<void> {
    this.#collector?.stop();
    await this.time.until(
      this.#inServer(() => this.#api.stop()),
      60_000,
      "stopping the API server",
    );
    this.time.forget(this.server);
    this.time.forget(this.users);
  }

  #inServer<T>(work: () => T): T {
    return currentActor.run(this.server, work);
  }

  /** Returns a request whose cancellation runs in the server's context. */
  #cancellable(request: InProcessRequest): InProcessRequest {
    const { signal } = request;
    if (!signal) return request;
    const cancelling = new AbortController();
    if (signal.aborted) cancelling.abort(signal.reason);
    signal.addEventListener("abort", () => this.#inServer(() => cancelling.abort(signal.reason)), { once: true });
    return { ...request, signal: cancelling.signal };
  }

  #record(call: ApiCall, by: Actor, status: number, body: Buffer, sentBody: InProcessRequest["body"]): void {
    const answer: unknown = status < 300 && body.length > 0 ? JSON.parse(body.toString()) : undefined;
    const object = isObject(answer) && answer.kind !== "Status" ? answer : undefined;
    const name = call.name || object?.metadata.name || "";
    const key = `${call.resource}.${call.group}/${call.namespace}/${name}`;
    const version = Number(object?.metadata.resourceVersion ?? 0);
    const isEffective = status < 300 && (object === undefined || version > this.#newest);
    this.#newest = Math.max(this.#newest, version);
    if (status < 300) {
      const isNamespaced = call.namespace !== "";
      if (call.subresource === "" || call.subresource === "status")
        this.touch({ group: call.group, version: call.version, resource: call.resource, isNamespaced }, object?.kind);
    }
    const old = this.#objects.get(key);
    if (object) this.#objects.set(key, object);
    const isGone = call.verb === "delete" && object?.metadata.deletionTimestamp === undefined;
    if (status < 300 && isGone) this.#objects.delete(key);
    const isOrphaned = object?.metadata.ownerReferences?.some(({ uid }) => !this.#uids.has(uid)) ?? false;
    if (object?.metadata.uid && by.name !== builtIn) this.#uids.add(object.metadata.uid);
    if (status < 300 && isGone && old?.metadata.uid) this.#uids.delete(old.metadata.uid);
    const isLeaving = call.verb.startsWith("delete") || object?.metadata.deletionTimestamp !== undefined;
    if (status < 300 && (isLeaving || isOrphaned)) this.#collector?.wake();
    this.onWrite({
      atMs: this.time.elapsedMs,
      by,
      call,
      status,
      name,
      object,
      old,
      isEffective,
      sent: jsonIn(sentBody),
    });
  }
}

async function answerOf(
  handle: Handle,
  method: string,
  path: string,
  body?: object,
  contentType = "application/json",
): Promise<Answer> {
  const response = await handle({
    method,
    path,
    headers: { accept: "application/json", ...(body ? { "content-type": contentType } : {}) },
    ...(body ? { body: Buffer.from(JSON.stringify(body)) } : {}),
  });
  const text = (await bodyOf(response)).toString();
  return { status: response.status, body: text.startsWith("{") ? JSON.parse(text) : {} };
}

/** Returns the content of a JSON body, or undefined for another one. */
function jsonIn(body: InProcessRequest["body"]): unknown {
  if (!(body instanceof Uint8Array)) return undefined;
  try {
    return JSON.parse(Buffer.from(body).toString());
  } catch {
    return undefined;
  }
}

function holderIn(body: Buffer): string {
  const lease: { readonly spec?: { readonly holderIdentity?: string } } = JSON.parse(body.toString());
  return lease.spec?.holderIdentity ?? "";
}

const isObject = (value: unknown): value is ClusterObject =>
  typeof value === "object" && value !== null && "kind" in value && "metadata" in value;

/** Iterates over a body in the context of an actor, so that all work that the iteration starts belongs to the actor. */
function inContext(body: AsyncIterable<Uint8Array>, actor: Actor): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]: () => {
      const iterator = body[Symbol.asyncIterator]();
      return {
        next: () => currentActor.run(actor, () => iterator.next()),
        return: async () => {
          await currentActor.run(actor, () => iterator.return?.());
          return { done: true, value: undefined };
        },
      };
    },
  };
}

async function* once(chunk: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield chunk;
}
