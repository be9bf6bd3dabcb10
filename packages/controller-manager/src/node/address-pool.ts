import { createServer } from "node:net";

/** Pool of pod addresses. */
export interface AddressPool {
  /** Returns an address. If the machine has several, no other pod uses the same one. @throws {Error} if all addresses are in use */
  take(): string;
  /** Returns an address to the pool. */
  giveBack(ip: string): void;
}

/**
 * Returns a pool of addresses from 127.0.0.0/8 if the machine has the whole range (Linux, Windows); otherwise, every pod gets 127.0.0.1
 * (macOS). The pool starts at a random position so that concurrent control planes rarely collide.
 */
export async function loopbackAddresses(random: () => number = Math.random): Promise<AddressPool> {
  return (await canListenOn("127.0.0.2")) ? new AddressRange(`127.${1 + Math.floor(random() * 250)}`) : oneForAll;
}

/**
 * Returns a pool of addresses in a nonexistent network, for pods without listeners. Unlike loopback addresses, they are allowed in
 * Endpoints.
 */
export const unreachableAddresses = (): AddressPool => new AddressRange("10.244");

const oneForAll: AddressPool = { take: () => "127.0.0.1", giveBack: () => {} };

class AddressRange implements AddressPool {
  readonly #prefix: string;
  readonly #taken = new Set<string>();
  #next = 1;

  /** @param prefix the first two octets */
  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /** Returns the address that has been free longest. @throws {Error} if 60,000 addresses are in use */
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
