import { alreadyExists, conflict, type KubeObject, notFound } from "@kubewright/apimachinery";
import { Connection, type ConnectionRequest, type ConnectionResponse } from "@kubewright/client";
import type { Lease } from "@kubewright/client/kinds";
import type { Wire } from "../leader/lease-server.ts";

/** An object that a user changes and replicas process: `done` follows `wanted`. */
export interface Site extends KubeObject {
  readonly data: { readonly wanted: string; readonly done: string };
}

type Stored = Site | (Lease & { readonly data?: undefined });

/** Longest way of a slow request, in milliseconds: short for writes of reconciles, which must arrive before the next holder starts. */
const longestMs = (path: string): number => (path.includes("/leases") ? 7_000 : 300);

/** An API server with Leases and sites, the version check of updates, and listeners instead of watches. */
export class ShardServer {
  readonly #objects = new Map<string, Stored>();
  readonly #listeners = new Set<(site: Site) => void>();
  #version = 0;

  /** Returns the identity in a shard's Lease. */
  holderOf(shard: number): string | undefined {
    const lease = this.#objects.get(`/apis/coordination.k8s.io/v1/namespaces/ns/leases/sites-shard-${shard}`);
    return lease && "spec" in lease ? (lease as Lease).spec?.holderIdentity : undefined;
  }

  /** Version of the last change. */
  get version(): number {
    return this.#version;
  }

  get sites(): readonly Site[] {
    return [...this.#objects.values()].filter((object): object is Site => object.kind === "ConfigMap");
  }

  /** Calls a listener for each changed site until the returned function is called. */
  listen(listener: (site: Site) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Changes the wanted value of a site, or creates the site. */
  want(key: string): void {
    const [namespace = "", name = ""] = key.split("/");
    const path = `/api/v1/namespaces/${namespace}/configmaps/${name}`;
    const known = this.#objects.get(path) as Site | undefined;
    const { wanted = "0", done = "" } = known?.data ?? {};
    const data = { wanted: String(Number(wanted) + 1), done };
    this.#put(path, { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace, name }, data });
  }

  /** Applies a request. @throws {StatusError} if the server refuses it */
  answer({ method = "GET", path, body }: ConnectionRequest): object {
    if (path === "/api/v1/namespaces") return { metadata: {}, items: namespaces };
    const sent = (): Stored => JSON.parse(String(body)) as Stored;
    const [, folder = "", name = ""] = /^(.*\/leases|.*\/configmaps)\/?([^/]*)$/.exec(path) ?? [];
    if (method === "GET" && name === "") return { metadata: {}, items: this.#labelled(folder) };
    if (method === "POST") {
      const created = `${folder}/${sent().metadata.name}`;
      if (this.#objects.has(created)) throw alreadyExists(leases, created);
      return this.#put(created, sent());
    }
    const known = this.#objects.get(path);
    if (!known) throw notFound(leases, name);
    if (method === "PUT") {
      if (sent().metadata.resourceVersion !== known.metadata.resourceVersion)
        throw conflict(leases, name, "it changed");
      return this.#put(path, sent());
    }
    if (method === "PATCH") return this.#put(path, { ...known, data: { ...known.data, ...sent().data } } as Site);
    if (method === "DELETE") this.#objects.delete(path);
    return known;
  }

  #labelled(folder: string): Stored[] {
    return [...this.#objects].flatMap(([path, one]) => (path.startsWith(folder) && one.metadata.labels ? one : []));
  }

  #put(path: string, object: Stored): Stored {
    const metadata = { ...object.metadata, resourceVersion: String(++this.#version) };
    const stored = { ...object, metadata } as Stored;
    this.#objects.set(path, stored);
    if (stored.data) for (const listener of this.#listeners) listener(stored as Site);
    return stored;
  }
}

/** As many namespaces as ranges of hashes require; see `shardBy`. */
const namespaces = Array.from({ length: 60 }, (_, at) => ({ metadata: { name: `ns-${at}` } }));

const leases = { group: "coordination.k8s.io", resource: "leases" };

/** What a test observes of a replica's writes of sites. */
export interface WriteWatch {
  sent(path: string): void;
  accepted(path: string): void;
}

/** A replica's connection to the server. */
export class ShardConnection extends Connection {
  readonly #server: ShardServer;
  readonly #wire: Wire;
  readonly #writes: WriteWatch;

  constructor(server: ShardServer, wire: Wire, writes: WriteWatch) {
    super({ server: "http://simulated.invalid" });
    this.#server = server;
    this.#wire = wire;
    this.#writes = writes;
  }

  override async request(request: ConnectionRequest): Promise<ConnectionResponse> {
    const { path, signal, beforeSending } = request;
    signal?.throwIfAborted();
    beforeSending?.();
    const isWork = path.includes("/configmaps/");
    if (isWork) this.#writes.sent(path);
    const answer = await this.#wire.send(
      () => {
        if (isWork) this.#writes.accepted(path);
        return this.#server.answer(request);
      },
      { signal, longestMs: longestMs(path) },
    );
    return { status: 200, headers: {}, body: Buffer.from(JSON.stringify(answer)) };
  }
}
