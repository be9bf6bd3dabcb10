import type { SimulatedCnf } from "./simulated-cnf.ts";

/** The CNFs by address. */
export class CnfNetwork {
  readonly #cnfs = new Map<string, SimulatedCnf>();
  /** Addresses of pods that the operator must not contact. */
  readonly strangers = new Set<string>();
  /** Forbidden requests. */
  readonly trespasses: string[] = [];
  /** Requests to CNFs by minute of virtual time. */
  readonly byMinute = new Map<number, number>();
  readonly #onCall: (what: string) => void;
  #next = 1;

  constructor(onCall: (what: string) => void) {
    this.#onCall = onCall;
  }

  newAddress(): string {
    const host = this.#next++;
    return `10.244.${Math.floor(host / 250)}.${(host % 250) + 2}`;
  }

  add(cnf: SimulatedCnf): void {
    this.#cnfs.set(cnf.address, cnf);
  }

  remove(address: string): void {
    this.#cnfs.delete(address);
  }

  get cnfs(): readonly SimulatedCnf[] {
    return [...this.#cnfs.values()];
  }

  at(address: string): SimulatedCnf | undefined {
    return this.#cnfs.get(address);
  }

  /** Returns the CNF at an address, if any. */
  called(address: string, what: string, nowMs: number): SimulatedCnf | undefined {
    this.#onCall(what);
    const minute = Math.floor(nowMs / 60_000);
    this.byMinute.set(minute, (this.byMinute.get(minute) ?? 0) + 1);
    if (this.strangers.has(address)) this.trespasses.push(`${what} went to ${address}, which is not a CNF`);
    const cnf = this.#cnfs.get(address);
    return cnf?.isUnreachable ? undefined : cnf;
  }
}
