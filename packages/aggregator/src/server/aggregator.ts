import { WatchedObjects } from "@kubewright/apiserver/admission";
import type {
  ApiRequest,
  ForeignServers,
  ForeignVersion,
  Priority,
  ResourceScope,
} from "@kubewright/apiserver/endpoints";
import type { DelegationTarget } from "@kubewright/apiserver/server";
import type { ResolveService } from "@kubewright/apiserver/webhook";
import { type Clock, onNextTurn } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import type { Storage } from "@kubewright/storage";
import { mergeSwagger } from "../openapi/merge-swagger.ts";
import { type ApiService, isRemote, type RemoteApiService, readApiService } from "../service/api-service.ts";
import { local, writeCondition } from "../status/write-condition.ts";
import type { ProxyCertificate } from "../transport/extension-end.ts";
import type { IdentityHeaders } from "../transport/forwarded-headers.ts";
import type { Extension } from "./extension.ts";
import type { ServiceFollower } from "./service-follower.ts";

/**
 * Options for an {@link Aggregator}. They have no defaults; the code that creates the API server supplies all of them.
 */
export interface AggregatorOptions {
  /** Storage in which the aggregator watches APIServices. */
  readonly storage: Storage;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Resolves a Service to an address. */
  readonly resolveService: ResolveService;
  /**
   * Certificate of the front proxy. Without this certificate, extension servers cannot verify that the user headers come from this server.
   */
  readonly proxyCertificate: ProxyCertificate | undefined;
  /** Additional headers that may identify a user to extension servers. */
  readonly identity: IdentityHeaders;
  /** Resource and strategy with which the aggregator writes APIServices. */
  readonly scope: ResourceScope;
  /** Called after any write to APIServices. */
  readonly changed: () => void;
}

const prefix = "/apiregistration.k8s.io/apiservices/";

/**
 * Serves API versions whose APIService refers to a Service: forwards requests to extension servers, and merges their
 * discovery and OpenAPI documents. The aggregator receives each request before the other servers in this process.
 * Without such APIServices, the cost per request is a lookup in an empty map, and no further modules are loaded.
 *
 * @see kube-aggregator pkg/apiserver APIAggregator
 */
export class Aggregator implements DelegationTarget, ForeignServers {
  readonly #options: AggregatorOptions;
  readonly #known: WatchedObjects<ApiService>;
  readonly #extensions = new Map<string, Extension>();
  readonly #running = new Map<Extension, Promise<void>>();
  readonly #synced = Promise.withResolvers<void>();
  #generation = 0;
  #follower: ServiceFollower | undefined;
  #priorities: { readonly generation: number; readonly byName: ReadonlyMap<string, Priority> } | undefined;
  #isDue = false;
  #settling: Promise<void> = Promise.resolve();

  constructor(options: AggregatorOptions) {
    this.#options = options;
    const { clock, storage } = options;
    this.#known = new WatchedObjects(storage, prefix, readApiService, clock, () => this.#settleSoon());
  }

  /** Resolves when the initial APIServices are known. */
  get synced(): Promise<void> {
    return this.#synced.promise;
  }

  /** Watches APIServices until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    try {
      await this.#known.run(signal, () => {
        this.#settling.then(() => this.#settle()).then(this.#synced.resolve, this.#synced.resolve);
      });
    } finally {
      this.#synced.resolve();
      await this.#settling;
      for (const extension of this.#extensions.values()) extension.stop();
      this.#extensions.clear();
      this.#follower?.stop();
      await Promise.all([...this.#running.values(), this.#follower?.stopped]);
    }
  }

  /** Forwards the request to the extension server for the request's group version; returns false if no such server is registered. */
  serve(request: ApiRequest): Promise<boolean> | boolean {
    if (this.#extensions.size === 0) return false;
    const extension = this.#extensionFor(request);
    return extension ? extension.serve(request).then(() => true) : false;
  }

  get generation(): number {
    return this.#generation + this.#known.generation;
  }

  versions(): readonly ForeignVersion[] {
    return [...this.#extensions.values()].map(({ apiService: { group, version }, entry }) => {
      return { group, version, entry };
    });
  }

  priorityOf(group: string, version: string): Priority | undefined {
    const { generation } = this.#known;
    if (this.#priorities?.generation !== generation) {
      const byName = this.#known.all.map(({ name, groupPriority, versionPriority }) => {
        return [name, { group: groupPriority, version: versionPriority }] as const;
      });
      this.#priorities = { generation, byName: new Map(byName) };
    }
    return this.#priorities.byName.get(`${version}.${group}`);
  }

  openApiPaths(): ReadonlyMap<string, string> {
    return new Map([...this.#extensions.values()].flatMap(({ documents }) => [...(documents?.paths ?? [])]));
  }

  withSwagger(document: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    const parts = [...this.#extensions.values()].flatMap(({ documents }) => documents?.swagger ?? []);
    return mergeSwagger(document, parts);
  }

  #extensionFor({ info: { apiPrefix, group, version, path } }: ApiRequest): Extension | undefined {
    if (apiPrefix !== "") return this.#extensions.get(apiPrefix === "api" ? "v1." : `${version}.${group}`);
    if (!path.startsWith(documentPrefix)) return undefined;
    const [documentGroup, documentVersion] = path.slice(documentPrefix.length).split("/");
    const extension = this.#extensions.get(`${documentVersion}.${documentGroup}`);
    return extension?.documents?.paths.has(path.slice("/openapi/v3/".length)) ? extension : undefined;
  }

  /** Schedules {@link #settle}, so that simultaneous changes are processed together. */
  #settleSoon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    onNextTurn(() => {
      this.#settling = this.#settling.then(() => this.#settle());
    }, this.#options.clock);
  }

  /** Creates and removes extensions to match the registered APIServices. */
  async #settle(): Promise<void> {
    const { changed, logger } = this.#options;
    this.#isDue = false;
    changed();
    try {
      const remote = this.#known.all.filter(isRemote);
      const names = new Set(remote.map(({ name }) => name));
      for (const [name, extension] of this.#extensions) if (!names.has(name)) this.#remove(name, extension);
      if (remote.length > 0) await this.#add(remote);
      for (const { name, service, condition } of this.#known.all)
        if (!service && condition?.reason !== local.reason)
          await writeCondition(
            this.#options.scope,
            name,
            (current) => !isRemote(readApiService(current as never)),
            local,
          );
    } catch (err) {
      logger.error({ err }, "cannot watch APIServices");
    }
  }

  #remove(name: string, extension: Extension): void {
    extension.stop();
    this.#extensions.delete(name);
    this.#generation++;
  }

  async #add(remote: readonly RemoteApiService[]): Promise<void> {
    const [{ Extension }, { ServiceFollower, serviceObjects }] = await Promise.all([
      import("./extension.ts"),
      import("./service-follower.ts"),
    ]);
    const { storage } = this.#options;
    this.#follower ??= new ServiceFollower(this.#options, (namespace, name) => this.#serviceChanged(namespace, name));
    const changed = (): void => {
      this.#generation++;
    };
    for (const apiService of remote) {
      const known = this.#extensions.get(apiService.name);
      if (known) {
        known.update(apiService);
        continue;
      }
      const extension = new Extension(apiService, { ...this.#options, objects: serviceObjects(storage), changed });
      this.#extensions.set(apiService.name, extension);
      this.#generation++;
      this.#running.set(
        extension,
        extension
          .run()
          .catch((err: unknown) => this.#options.logger.error({ err }, "an APIService is no longer monitored"))
          .finally(() => this.#running.delete(extension)),
      );
    }
  }

  #serviceChanged(namespace: string, name: string): void {
    for (const extension of this.#extensions.values()) {
      const { service } = extension.apiService;
      if (service.namespace === namespace && service.name === name) extension.serviceChanged();
    }
  }
}

const documentPrefix = "/openapi/v3/apis/";
