import { isIPv4 } from "node:net";
import { type Clock, systemClock } from "@kubewright/clock";
import { ipv4Order } from "../cnf/ipv4-order.ts";
import { Turns } from "../cnf/turns.ts";
import { NameError, nameErrorOf, noAddress } from "./name-error.ts";
import { type Resolve, systemResolve } from "./resolve.ts";

export interface NamesOptions {
  /** Default: as the programs of the machine do it. */
  readonly resolve?: Resolve;
  /** For an answer, the wait for a turn included. Default 5000. */
  readonly timeoutMs?: number;
  /** So many lookups at a time, those that nobody waits for any more included, for a minute. Default 16. */
  readonly concurrency?: number;
  readonly clock?: Clock;
}

/** A name with more addresses is taken for a mistake: each may become a resource. */
const mostAddresses = 64;
/** More names than this wait for no turn: the machine's resolver hangs. */
const mostWaiting = 10_000;
/** A lookup that has not ended after this leaves its place to others: who never answers must not have all of them for ever. */
const longestTurnMs = 60_000;
const longestName = 253;
const dnsName = /^[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_.])?$/;

/** DNS names and their addresses. Names that are asked for at once are looked up once. */
export class Names {
  readonly #resolve: Resolve;
  readonly #timeoutMs: number;
  readonly #clock: Clock;
  readonly #lookups: Turns;
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
    this.#lookups = new Turns(concurrency);
  }

  /**
   * The IPv4 addresses of a name, lowest first, each once.
   *
   * @param owner who asks: lookups are shared out between owners, so that names which nobody answers for hold up those of their owner alone
   * @throws {NameError} if it has none, or that cannot be said at the moment
   */
  addressesOf(name: string, owner = ""): Promise<readonly string[]> {
    const key = name.toLowerCase();
    const current = this.#current.get(key) ?? this.#ask(name, owner).finally(() => this.#current.delete(key));
    this.#current.set(key, current);
    return current;
  }

  async #ask(name: string, owner: string): Promise<readonly string[]> {
    if (name.length > longestName || !dnsName.test(name))
      throw new NameError(`${JSON.stringify(name.slice(0, longestName))} is not a DNS name`, false);
    if (this.#waiting >= mostWaiting)
      throw new NameError(`${name} cannot be resolved at the moment: ${this.#waiting} names wait before it`, false);
    const { promise: tooLate, reject } = Promise.withResolvers<never>();
    const end = new AbortController();
    const timer = this.#clock.after(this.#timeoutMs, () => {
      const error = new NameError(`${name} cannot be resolved: no answer within ${this.#timeoutMs} ms`, false);
      reject(error);
      end.abort(error);
    });
    try {
      return await Promise.race([this.#lookup(name, owner, end.signal), tooLate]);
    } finally {
      timer.cancel();
    }
  }

  async #inItsTurn(name: string, signal: AbortSignal): Promise<string[]> {
    const { promise: over, resolve } = Promise.withResolvers<string[]>();
    const timer = this.#clock.after(Math.max(longestTurnMs, this.#timeoutMs), () => resolve([]), { unref: true });
    try {
      return await Promise.race([this.#resolve(name, signal), over]);
    } finally {
      timer.cancel();
    }
  }

  async #lookup(name: string, owner: string, signal: AbortSignal): Promise<readonly string[]> {
    // A lookup that nobody waits for any more keeps its turn for a while; one that has not begun gives it up.
    this.#waiting++;
    const look = async (): Promise<string[]> => {
      this.#waiting--;
      return signal.aborted ? [] : this.#inItsTurn(name, signal);
    };
    const answers = await this.#lookups
      .take(owner, () => false, look)
      .catch((error: unknown) => {
        throw nameErrorOf(name, error);
      });
    const addresses = [...new Set(answers.filter((address) => isIPv4(address)))];
    if (addresses.length === 0) throw noAddress(name);
    if (addresses.length > mostAddresses)
      throw new NameError(`${name} has ${addresses.length} addresses, more than ${mostAddresses}`, false);
    return addresses.sort(ipv4Order);
  }
}
