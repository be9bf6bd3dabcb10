import { createServer } from "node:net";

/** Addresses for pods. */
export interface AddressPool {
  /** One that no other pod has, where the machine has several. @throws {Error} when all are taken */
  take(): string;
  /** The address may be taken again. */
  giveBack(ip: string): void;
}

/**
 * Addresses out of 127.0.0.0/8 where the machine has all of it (Linux, Windows), else 127.0.0.1 for every pod (macOS). The range
 * begins at a random place, so that planes running side by side rarely meet.
 */
export async function loopbackAddresses(random: () => number = Math.random): Promise<AddressPool> {
  return (await canListenOn("127.0.0.2")) ? new AddressRange(`127.${1 + Math.floor(random() * 250)}`) : oneForAll;
}

/** Addresses of a network that there is not, for pods that nothing listens in: services may name them, unlike loopback ones. */
export const unreachableAddresses = (): AddressPool => new AddressRange("10.244");

const oneForAll: AddressPool = { take: () => "127.0.0.1", giveBack: () => {} };

class AddressRange implements AddressPool {
  readonly #prefix: string;
  readonly #taken = new Set<string>();
  #next = 1;

  /** @param prefix the first two numbers */
  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /** The address that has been free for longest. @throws {Error} if 60,000 pods have one */
  take(): string {
    for (let tries = 0; tries < 60_000; tries++) {
      const ip = `${this.#prefix}.${Math.floor(this.#next / 250)}.${1 + (this.#next % 250)}`;
      this.#next = (this.#next + 1) % 60_000;
      if (this.#taken.has(ip)) continue;
      this.#taken.add(ip);
      return ip;
    }
    throw new Error(`no free address in ${this.#prefix}.0.0/16: 60000 pods have one each`);
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
