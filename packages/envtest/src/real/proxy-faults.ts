import type { Kind } from "@kubewright/apimachinery";
import type { Clock } from "@kubewright/clock";
import type { RequestInfo } from "@kubewright/kube-apiserver";
import type { Delay, Failure, Faults, RequestMatch } from "../bed/faults.ts";
import { NotSupportedByTestBedError } from "../bed/not-supported.ts";
import { isMatch } from "./request-match.ts";

/** An open watch that goes through the proxy. */
export interface RunningWatch {
  readonly info: RequestInfo;
  cut(): void;
  /** Sends a last line and ends the watch. */
  endWith(line: string): void;
}

/** The proxy operations that faults use. */
export interface ProxyControl {
  dropConnections(): void;
  shut(): Promise<void>;
  open(): Promise<void>;
}

export type Verdict =
  | { readonly do: "pass" }
  | { readonly do: "hang" }
  | { readonly do: "fail"; readonly failure: Failure };

interface Counted<T> {
  readonly what: T;
  left: number;
}

const tooOld =
  '{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"too old resource version","reason":"Expired","code":410}}\n';

/**
 * Injects faults with the proxy, which can break off, delay and answer requests, but cannot change the server's
 * history.
 */
export class ProxyFaults implements Faults {
  readonly #clock: Clock;
  readonly #doors: ProxyControl;
  readonly #watches = new Set<RunningWatch>();
  #failures: Counted<Failure>[] = [];
  #delays: Counted<Delay>[] = [];
  #hangs: RequestMatch[] = [];
  #isShut = false;

  constructor(clock: Clock, doors: ProxyControl) {
    this.#clock = clock;
    this.#doors = doors;
  }

  /** Applies delays to a request, and then returns the verdict on it: fail, hang or pass. */
  async judge(info: RequestInfo): Promise<Verdict> {
    for (const { ms } of this.#take(this.#delays, info, Number.POSITIVE_INFINITY)) await this.#clock.sleep(ms);
    const [failure] = this.#take(this.#failures, info, 1);
    if (failure) return { do: "fail", failure };
    return { do: this.#hangs.some((match) => isMatch(info, match)) ? "hang" : "pass" };
  }

  /** Tracks a watch until the returned function is called. */
  track(watch: RunningWatch): () => void {
    this.#watches.add(watch);
    return () => this.#watches.delete(watch);
  }

  cutWatches(kind?: Kind): number {
    const watches = this.#watchesOf(kind);
    for (const watch of watches) watch.cut();
    return watches.length;
  }

  expireWatches(kind?: Kind): number {
    const watches = this.#watchesOf(kind);
    for (const watch of watches) watch.endWith(tooOld);
    return watches.length;
  }

  cutConnections(): void {
    this.#doors.dropConnections();
  }

  failNext(failure: Failure): void {
    this.#failures.push({ what: failure, left: failure.count ?? 1 });
  }

  delay(delay: Delay): void {
    this.#delays.push({ what: delay, left: delay.count ?? Number.POSITIVE_INFINITY });
  }

  hang(match: RequestMatch = {}): void {
    this.#hangs.push(match);
  }

  /** True from {@link refuseConnections} until {@link clear} is called. */
  get refusesConnections(): boolean {
    return this.#isShut;
  }

  async refuseConnections(): Promise<void> {
    if (this.#isShut) return;
    this.#isShut = true;
    await this.#doors.shut();
  }

  async goBackInTime(): Promise<void> {
    throw new NotSupportedByTestBedError("goBackInTime: the real API server cannot be reset to an earlier state");
  }

  async clear(): Promise<void> {
    this.#failures = [];
    this.#delays = [];
    const hadHangs = this.#hangs.length > 0;
    this.#hangs = [];
    // Hanging requests are dropped instead of receiving a late response.
    if (hadHangs) this.#doors.dropConnections();
    if (this.#isShut) await this.#doors.open();
    this.#isShut = false;
  }

  #take<T extends RequestMatch>(list: Counted<T>[], info: RequestInfo, atMost: number): T[] {
    const removed: T[] = [];
    for (const entry of list) {
      if (removed.length >= atMost || entry.left <= 0 || !isMatch(info, entry.what)) continue;
      entry.left--;
      removed.push(entry.what);
    }
    return removed;
  }

  #watchesOf(kind: Kind | undefined): RunningWatch[] {
    return [...this.#watches].filter(({ info }) => isMatch(info, { kind }));
  }
}
