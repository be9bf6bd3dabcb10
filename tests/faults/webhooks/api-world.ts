import { conflict, notFound } from "@kubewright/apimachinery";
import type { World } from "../leader/world.ts";

/** An object of the API, as JSON; its version is a number. */
export interface Stored {
  readonly version: number;
  readonly body: Record<string, unknown>;
}

/** An API server's delayed view of the trusted bundles. */
export interface ApiServer {
  lagMs: number;
  /** By configuration; base64. */
  readonly trusted: Map<string, string>;
}

/** The Secret and the configurations, and servers that receive configurations late. */
export class ApiWorld {
  readonly servers: readonly ApiServer[];
  readonly #world: World;
  readonly #objects = new Map<string, Stored>();
  #version = 1;
  /** Time of the last delivery to each server, to keep changes in order. */
  readonly #deliveredAt = new Map<ApiServer, number>();

  constructor(world: World, lags: readonly number[]) {
    this.#world = world;
    this.servers = lags.map((lagMs) => ({ lagMs, trusted: new Map() }));
  }

  put(name: string, body: Record<string, unknown>): void {
    this.#objects.set(name, { version: ++this.#version, body: structuredClone(body) });
  }

  /**
   * Reads like a client.
   *
   * @throws {StatusError} `NotFound`
   */
  get(
    name: string,
  ): { metadata: { resourceVersion: string; annotations?: Record<string, string> } } & Record<string, unknown> {
    const { version, body } = this.#existing(name);
    const { metadata, ...rest } = structuredClone(body);
    return { ...rest, metadata: { ...Object(metadata), resourceVersion: String(version) } };
  }

  /** @throws {StatusError} `Conflict` if the given version is outdated */
  replace(
    name: string,
    version: string | undefined,
    change: (body: Record<string, unknown>) => Record<string, unknown>,
  ): void {
    const existing = this.#existing(name);
    if (version !== undefined && version !== String(existing.version))
      throw conflict({ group: "", resource: "objects" }, name, "changed");
    this.put(name, change(structuredClone(existing.body)));
  }

  /** Delivers the bundle to the servers with individual delays, in order. */
  announce(name: string, bundle: string): void {
    for (const server of this.servers) {
      const at = Math.max(this.#world.now + server.lagMs, this.#deliveredAt.get(server) ?? 0);
      this.#deliveredAt.set(server, at);
      this.#world.after(at - this.#world.now, () => server.trusted.set(name, bundle));
    }
  }

  #existing(name: string): Stored {
    const existing = this.#objects.get(name);
    if (!existing) throw notFound({ group: "", resource: "objects" }, name);
    return existing;
  }
}
