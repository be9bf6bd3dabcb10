import { alreadyExists, conflict, notFound, serviceUnavailable } from "@kubewright/apimachinery";
import type { Lease } from "@kubewright/client/kinds";
import type { LeaseLockOptions } from "@kubewright/leader-election";
import type { Machine, World } from "./world.ts";

export const troubleNames = [
  "refused",
  "hung",
  "slow",
  "slowAnswer",
  "lostAnswer",
  "reset",
  "unavailable",
  "deaf",
] as const;
/** A fault between a machine and the server. `deaf`: slow, and calls ignore their signals. */
export type TroubleName = (typeof troubleNames)[number];

export interface Trouble {
  readonly name: TroubleName;
  readonly ms: number;
}

const leases = { group: "coordination.k8s.io", resource: "leases" };

/** One Lease, with the version check of an API server. */
export class LeaseServer {
  lease: Lease | undefined;
  #version = 0;

  get holder(): string | undefined {
    return this.lease?.spec?.holderIdentity;
  }

  get(): Lease {
    if (!this.lease) throw notFound(leases, "lock");
    return this.lease;
  }

  create(lease: Lease): Lease {
    if (this.lease) throw alreadyExists(leases, "lock");
    return this.#put(lease);
  }

  update(lease: Lease): Lease {
    if (this.get().metadata.resourceVersion !== lease.metadata.resourceVersion)
      throw conflict(leases, "lock", "the object has been modified");
    return this.#put(lease);
  }

  /** Another client changes other fields of the Lease. */
  touch(): void {
    if (this.lease) this.#put(this.lease);
  }

  #put(lease: Lease): Lease {
    const metadata = { ...lease.metadata, resourceVersion: String(++this.#version) };
    this.lease = { ...structuredClone(lease), apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata };
    return this.lease;
  }
}

/** The connection of a machine to the server. */
export class Wire {
  readonly #world: World;
  readonly #machine: Machine;
  readonly #random: () => number;
  readonly #struck: (name: TroubleName) => void;
  #troubles: readonly { readonly name: TroubleName; readonly until: number }[] = [];

  constructor(world: World, machine: Machine, random: () => number, struck: (name: TroubleName) => void) {
    this.#world = world;
    this.#machine = machine;
    this.#random = random;
    this.#struck = struck;
  }

  /** Applies the faults one after the other. */
  strike(troubles: readonly Trouble[]): void {
    let until = this.#world.now;
    this.#troubles = troubles.map(({ name, ms }) => {
      until += ms;
      return { name, until };
    });
  }

  heal(): void {
    this.#troubles = [];
  }

  client(server: LeaseServer): LeaseLockOptions["client"] {
    const call = <T>(apply: () => Lease, signal: AbortSignal | undefined): Promise<T> =>
      this.send(() => structuredClone(apply()), { signal, longestMs: 7_000 }) as Promise<T>;
    return {
      get: (_kind, _key, { signal } = {}) => call(() => server.get(), signal),
      create: (_kind, object, { signal } = {}) => call(() => server.create(object as unknown as Lease), signal),
      update: (_kind, object, { signal } = {}) => call(() => server.update(object as unknown as Lease), signal),
    };
  }

  /** Sends a request and, if possible, its answer. Cancelling does not revoke the request: it is still applied. */
  send<T>(
    apply: () => T,
    options: { readonly signal?: AbortSignal | undefined; readonly longestMs: number },
  ): Promise<T> {
    const { signal, longestMs } = options;
    const trouble = this.#strikes();
    const isSlow = trouble === "slow" || trouble === "deaf";
    const delay = (slow: boolean): number => this.#random() * (slow ? longestMs : 60);
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const back = (deliver: () => void): void =>
      void this.#world.after(delay(isSlow || trouble === "slowAnswer"), deliver, this.#machine);
    const arrive = (): void => {
      let answer: () => void;
      try {
        if (trouble === "unavailable") throw serviceUnavailable("try later");
        const result = apply();
        answer = () => resolve(result);
      } catch (error) {
        answer = () => reject(error);
      }
      if (trouble === "reset") back(() => reject(new Error("connection reset")));
      else if (trouble !== "lostAnswer") back(answer);
    };
    if (trouble === "refused") back(() => reject(new Error("connection refused")));
    else if (trouble !== "hung") this.#world.after(delay(isSlow), arrive);
    if (trouble !== "deaf") signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
    return promise;
  }

  #strikes(): TroubleName | undefined {
    const trouble = this.#troubles.find(({ until }) => this.#world.now < until);
    if (!trouble || this.#random() < 0.15) return undefined;
    this.#struck(trouble.name);
    return trouble.name;
  }
}
