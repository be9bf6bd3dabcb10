import { createServer } from "node:net";
import { systemRandom } from "@kubewright/clock";

/** A pool from which pods get their IP addresses. */
export interface AddressPool {
  /**
   * Takes an address from the pool. If the pool has several addresses, each pod gets a different one.
   *
   * @throws {Error} if all addresses are in use
   */
  take(): string;
  /** Gives an address back to the pool. */
  giveBack(ip: string): void;
}

/**
 * Returns a pool of loopback addresses. On Linux and Windows, each pod gets its own address from 127.0.0.0/8. If the machine does not have
 * the whole range (macOS), every pod gets 127.0.0.1. The pool starts at a random position so that concurrent control planes rarely collide.
 */
export async function loopbackAddresses(random: () => number = systemRandom.number): Promise<AddressPool> {
  return (await canListenOn("127.0.0.2")) ? new AddressRange(`127.${1 + Math.floor(random() * 250)}`) : oneForAll;
}

/**
 * Returns a pool of addresses in a nonexistent network, for pods that listen on no port. Unlike loopback addresses,
 * these addresses are allowed in Endpoints.
 */
export const unreachableAddresses = (): AddressPool => new AddressRange("10.244");

const oneForAll: AddressPool = { take: () => "127.0.0.1", giveBack: () => {} };

class AddressRange implements AddressPool {
  readonly #prefix: string;
  readonly #taken = new Set<string>();
  #next = 1;

  /** Creates a pool of the addresses with a common prefix. @param prefix the first two octets */
  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /** Takes the address that has been unused for the longest time. @throws {Error} if 60,000 addresses are in use */
  take(): string {
    for (let tries = 0; tries < 60_000; tries++) {
      const ip = `${this.#prefix}.${Math.floor(this.#next / 250)}.${1 + (this.#next % 250)}`;
      this.#next = (this.#next + 1) % 60_000;
      if (this.#taken.has(ip)) continue;
      this.#taken.add(ip);
      return ip;
    }
    throw new Error(`no free address in ${this.#prefix}.0.0/16: 60000 pods already have an address`);
  }

  giveBack(ip: string): void {
    this.#taken.delete(ip);
  }
}

function canListenOn(host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen({ host, port: 0 }, () => server.close(() => resolve(true)));
  });
}
