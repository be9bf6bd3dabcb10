import { isIPv4 } from "node:net";
import { type Clock, systemClock } from "@kubewright/clock";
import { ipv4Order } from "../cnf/ipv4-order.ts";
import { FairLimiter } from "../cnf/session/fair-limiter.ts";
import { NameError, nameErrorOf, noAddress } from "./name-error.ts";
import { type Resolve, systemResolve } from "./resolve.ts";

export interface NamesOptions {
  /** Resolver for names. Default: the system's resolver. */
  readonly resolve?: Resolve;
  /** Timeout for a response, in milliseconds, including the wait for a free slot. Default 5000. */
  readonly timeoutMs?: number;
  /** Maximum number of concurrent lookups. Abandoned lookups continue to count for a minute. Default 16. */
  readonly concurrency?: number;
  readonly clock?: Clock;
}

/** Maximum number of addresses of a name. More addresses are an error, because each may become a resource. */
const maxAddresses = 64;
/**
 * Maximum number of names that wait for a free slot. If more names wait, the machine's resolver has stopped
 * responding, and further names are rejected.
 */
const maxWaiting = 10_000;
/** Time after which a hanging lookup gives up its slot, so that lookups without a response cannot occupy all slots. */
const maxLookupMs = 60_000;
const maxNameLength = 253;
const dnsName = /^[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_.])?$/;

/** Resolves DNS names to addresses. Concurrent requests for the same name share one lookup. */
export class Names {
  readonly #resolve: Resolve;
  readonly #timeoutMs: number;
  readonly #clock: Clock;
  readonly #lookups: FairLimiter;
  #waiting = 0;
  readonly #current = new Map<string, Promise<readonly string[]>>();

  constructor({
    resolve = systemResolve,
    timeoutMs = 5_000,
    concurrency = 16,
    clock = systemClock,
  }: NamesOptions = {}) {
    this.#resolve = resolve;
    this.#timeoutMs = timeoutMs;
    this.#clock = clock;
    this.#lookups = new FairLimiter(concurrency);
  }

  /**
   * Returns a name's IPv4 addresses in ascending order, without duplicates.
   *
   * @param owner owner of the lookup. Owners share the slots fairly, so names without a response delay only their own owner
   * @throws {NameError} if the name has no addresses or temporarily cannot be resolved
   */
  addressesOf(name: string, owner = ""): Promise<readonly string[]> {
    const key = name.toLowerCase();
    const current = this.#current.get(key) ?? this.#request(name, owner).finally(() => this.#current.delete(key));
    this.#current.set(key, current);
    return current;
  }

  async #request(name: string, owner: string): Promise<readonly string[]> {
    if (name.length > maxNameLength || !dnsName.test(name))
      throw new NameError(`${JSON.stringify(name.slice(0, maxNameLength))} is not a DNS name`, false);
    if (this.#waiting >= maxWaiting)
      throw new NameError(`${name} cannot be resolved at the moment: ${this.#waiting} other names are waiting`, false);
    const { promise: tooLate, reject } = Promise.withResolvers<never>();
    const end = new AbortController();
    const timer = this.#clock.after(this.#timeoutMs, () => {
      const error = new NameError(`${name} cannot be resolved: no response within ${this.#timeoutMs} ms`, false);
      reject(error);
      end.abort(error);
    });
    try {
      return await Promise.race([this.#lookup(name, owner, end.signal), tooLate]);
    } finally {
      timer.cancel();
    }
  }

  async #resolveWithLimit(name: string, signal: AbortSignal): Promise<string[]> {
    const { promise: over, resolve } = Promise.withResolvers<string[]>();
    const timer = this.#clock.after(Math.max(maxLookupMs, this.#timeoutMs), () => resolve([]), { unref: true });
    try {
      return await Promise.race([this.#resolve(name, signal), over]);
    } finally {
      timer.cancel();
    }
  }

  async #lookup(name: string, owner: string, signal: AbortSignal): Promise<readonly string[]> {
    // An abandoned lookup keeps its slot for a while if it is running, and gives up its place in the queue otherwise.
    this.#waiting++;
    const lookup = async (): Promise<string[]> => {
      this.#waiting--;
      return signal.aborted ? [] : this.#resolveWithLimit(name, signal);
    };
    const responses = await this.#lookups
      .run(owner, () => false, lookup)
      .catch((error: unknown) => {
        throw nameErrorOf(name, error);
      });
    const addresses = [...new Set(responses.filter((address) => isIPv4(address)))];
    if (addresses.length === 0) throw noAddress(name);
    if (addresses.length > maxAddresses)
      throw new NameError(`${name} has ${addresses.length} addresses; the maximum is ${maxAddresses}`, false);
    return addresses.sort(ipv4Order);
  }
}
