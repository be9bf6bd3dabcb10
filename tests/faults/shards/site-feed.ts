import type { Kind, KubeObject } from "@kubewright/apimachinery";
import type { ListWatchClient } from "@kubewright/cache";
import { type KubeList, kubeList, type ListOptions, type RawWatchEvent, type WatchOptions } from "@kubewright/client";
import type { Machine } from "../leader/world.ts";
import type { ShardServer, Site } from "./shard-server.ts";

/** Lists and watches of sites, for a cache. Responses and events arrive late, but in order. */
export class SiteFeed implements ListWatchClient {
  readonly #server: ShardServer;
  readonly #machine: Machine;
  readonly #random: () => number;
  readonly #selects: boolean;

  /** @param selects true if the server reads `shardSelector` */
  constructor(server: ShardServer, machine: Machine, random: () => number, selects: boolean) {
    this.#server = server;
    this.#machine = machine;
    this.#random = random;
    this.#selects = selects;
  }

  async list<T extends KubeObject>(_: Kind<T>, options: ListOptions = {}): Promise<KubeList<T>> {
    const { signal, shardSelector } = options;
    await this.#machine.sleep(this.#lagMs(), signal);
    const items = this.#selected(this.#server.sites, shardSelector) as readonly KubeObject[];
    const resourceVersion = String(this.#server.version);
    await this.#machine.sleep(this.#lagMs(), signal);
    signal?.throwIfAborted();
    return kubeList(structuredClone(items) as T[], { resourceVersion });
  }

  async *watchRaw(_: Kind, options: WatchOptions = {}): AsyncGenerator<RawWatchEvent, void, undefined> {
    const { signal, shardSelector, resourceVersion } = options;
    const since = Number(resourceVersion);
    const changed = this.#server.sites.filter(({ metadata }) => Number(metadata.resourceVersion) > since);
    const waiting = changed.sort((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion));
    let wake = (): void => {};
    const stop = this.#server.listen((site) => {
      waiting.push(site);
      wake();
    });
    const end = (): void => wake();
    signal?.addEventListener("abort", end);
    try {
      while (!signal?.aborted) {
        const site = waiting.shift();
        if (site) {
          await this.#machine.sleep(this.#lagMs(), signal);
          const object = Buffer.from(JSON.stringify(site));
          if (this.#selected([site], shardSelector).length > 0) yield { type: "MODIFIED", object };
        } else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    } finally {
      stop();
      signal?.removeEventListener("abort", end);
    }
  }

  #lagMs(): number {
    return this.#random() * (this.#random() < 0.1 ? 4_000 : 100);
  }

  #selected(sites: readonly Site[], selector: string | undefined): Site[] {
    if (!this.#selects || selector === undefined) return [...sites];
    const ranges = [...selector.matchAll(/'0x([0-9a-f]+)', '0x([0-9a-f]+)'/g)].map(([, from = "", to = ""]) => ({
      from: BigInt(`0x${from}`),
      to: BigInt(`0x${to}`),
    }));
    return sites.filter(({ metadata: { namespace = "" } }) => {
      const hash = hashOf(namespace);
      return ranges.some(({ from, to }) => hash >= from && hash < to);
    });
  }
}

/** Returns the 64-bit FNV-1a hash of a text, as a server computes it. */
function hashOf(text: string): bigint {
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(text)) hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) % 2n ** 64n;
  return hash;
}
