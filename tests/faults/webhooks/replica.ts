import { internalError } from "@kubewright/apimachinery";
import { type CaPhase, type CertificateClient, type CertificateSource, secretCertificates } from "@kubewright/webhook";
import type { Machine, World } from "../leader/world.ts";
import type { ApiWorld } from "./api-world.ts";
import type { PlantedBug } from "./planted-bugs.ts";
import type { WriteFault } from "./schedule.ts";

const minuteMs = 60_000;

/** Default times, except that an authority lives an hour and a half. */
export const times = {
  caLifetimeMs: 90 * minuteMs,
  lifetimeMs: 40 * minuteMs,
  renewAfterMs: 25 * minuteMs,
  switchAfterMs: 2 * minuteMs,
  retireAfterMs: 20 * minuteMs,
  staleAfterMs: 10 * minuteMs,
  intervalMs: minuteMs,
  clockSkewMs: 5 * minuteMs,
};

export const targets = [
  { kind: "ValidatingWebhookConfiguration", name: "shop" },
  { kind: "CustomResourceDefinition", name: "sites" },
] as const;

export interface ReplicaParts {
  readonly world: World;
  readonly machine: Machine;
  readonly api: ApiWorld;
  readonly random: () => number;
  readonly bug: PlantedBug;
  readonly phase: (phase: CaPhase) => void;
  readonly crashed: (replica: Replica) => void;
  readonly count: (fault: WriteFault) => void;
}

/** One process with the real implementation, and a connection to the API. */
export class Replica {
  readonly machine: Machine;
  readonly source: CertificateSource;
  readonly ended: Promise<void>;
  isDead = false;
  partitionedUntil = 0;
  nextWrite: { readonly fault: WriteFault; readonly ms: number } | undefined;
  readonly #parts: ReplicaParts;
  readonly #stop = new AbortController();

  constructor(parts: ReplicaParts) {
    this.#parts = parts;
    this.machine = parts.machine;
    this.source = secretCertificates({
      secret: "shop/cert",
      service: { name: "webhook", namespace: "shop" },
      client: this.#client(),
      targets,
      clock: parts.machine,
      metrics: { expiry: () => {}, phase: parts.phase },
      times: { ...times, ...parts.bug.times },
    });
    this.ended = this.source.run(this.#stop.signal);
  }

  /** True if it is ready from its own point of view. */
  get isReady(): boolean {
    if (this.isDead || this.machine.isFrozen) return false;
    try {
      this.source.check();
      return true;
    } catch {
      return this.#parts.bug.neverStale === true && this.source.current !== undefined;
    }
  }

  /** Ends it at once: requests in transit may still arrive. */
  kill(): void {
    this.isDead = true;
    this.machine.stall(Number.POSITIVE_INFINITY);
  }

  stop(): void {
    this.#stop.abort();
  }

  #client(): CertificateClient {
    const { api, bug } = this.#parts;
    const read = (name: string, signal: AbortSignal | undefined) => this.#call(() => api.get(name), signal, false);
    return {
      get: async (kind, key, options) =>
        (await read(nameOf(kind.kind, typeof key === "string" ? key : key.name), options?.signal)) as never,
      create: () => Promise.reject(new Error("nobody may create Secrets")),
      patch: () => Promise.reject(new Error("no configuration here has managed fields, so there are none to release")),
      update: async (_kind, object, options) => {
        const { metadata, ...body } = structuredClone(object);
        return (await this.#call(
          () => {
            const { resourceVersion, ...rest } = metadata;
            api.replace("Secret/cert", resourceVersion, () => ({ ...body, metadata: rest }));
          },
          options?.signal,
          true,
        )) as never;
      },
      apply: async (kind, { metadata, ...fields }, options) => {
        const bundle = bundleIn(fields);
        const name = nameOf(kind.kind, metadata.name);
        const version = bug.appliesBlindly ? undefined : metadata.resourceVersion;
        return (await this.#call(
          () => {
            api.replace(name, version, (body) => configuration(metadata.name, kind.kind, bundle, body));
            api.announce(name, bundle);
          },
          options?.signal,
          true,
        )) as never;
      },
    };
  }

  /** Sends a call with a delay in both directions. A call that arrives takes effect, whether or not the caller still waits. */
  #call<T>(act: () => T, signal: AbortSignal | undefined, isWrite: boolean): Promise<T> {
    const { world, machine, random } = this.#parts;
    const slowly = (): number => 1 + random() * 20;
    const strike = isWrite ? this.nextWrite : undefined;
    if (strike) {
      this.nextWrite = undefined;
      this.#parts.count(strike.fault);
    }
    return new Promise<T>((resolve, reject) => {
      signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
      if (this.partitionedUntil > world.now) return; // no answer ever arrives
      if (strike?.fault === "crashBefore") {
        this.#crash();
        return;
      }
      const answer = (settle: () => void): void => void world.after(slowly(), settle, machine);
      const arrive = (): void => {
        if (strike?.fault === "refused") answer(() => reject(internalError("etcd leader changed")));
        else
          try {
            const result = act();
            if (strike?.fault === "crashAfter") this.#crash();
            else if (strike?.fault !== "lostAnswer") answer(() => resolve(result));
          } catch (error) {
            answer(() => reject(error));
          }
      };
      world.after(strike?.fault === "late" ? strike.ms : slowly(), arrive);
    });
  }

  #crash(): void {
    this.kill();
    this.#parts.crashed(this);
  }
}

const nameOf = (kind: string, name: string): string => `${kind}/${name}`;

/** Returns a configuration with only a bundle. */
export function configuration(
  name: string,
  kind: string,
  caBundle: string,
  body: Record<string, unknown> = {},
): Record<string, unknown> {
  const clientConfig = { caBundle };
  return kind === "CustomResourceDefinition"
    ? { ...body, metadata: { name }, spec: { conversion: { strategy: "Webhook", webhook: { clientConfig } } } }
    : { ...body, metadata: { name }, webhooks: [{ name: "a.shop", clientConfig }] };
}

const bundleIn = (fields: object): string => /"caBundle":"([^"]*)"/.exec(JSON.stringify(fields))?.[1] ?? "";
