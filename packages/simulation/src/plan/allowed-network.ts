import type { Socket } from "node:net";
import { systemClock } from "@kubewright/clock";
import type { Actor, VirtualTime } from "../time/virtual-time.ts";
import { currentActor } from "../time/virtual-time.ts";
import { PlanError } from "./plan-report.ts";

/** Interval in which the activity of a socket is checked, in milliseconds. */
const checkMs = 20;
/** Time without activity after which the virtual time continues: after something was received, and while a response is due. */
const [silentMs, responseMs] = [100, 5_000] as const;
const maxRedirects = 5;

/** Allows a program to connect to certain addresses. While such a connection is in use, virtual time stands still. */
export class AllowedNetwork {
  readonly #addresses: ReadonlySet<string>;
  readonly #hosts: ReadonlySet<string>;
  readonly #time: VirtualTime;
  /** Sockets for which virtual time stands still. */
  readonly #active = new Set<Socket>();

  /** @param addresses hosts and ports, such as `10.0.0.7:443` @throws {PlanError} for an address that is not valid */
  constructor(addresses: readonly string[], time: VirtualTime) {
    for (const address of addresses)
      if (!/^(\[[0-9a-fA-F:]+\]|[^\s:/@[\]]+):\d{1,5}$/.test(address) || Number(address.split(":").at(-1)) > 65_535)
        throw new PlanError(
          "input",
          `--allow ${JSON.stringify(address)} is not a host and a port, such as 10.0.0.7:443 or api.example.com:443`,
        );
    this.#addresses = new Set(addresses.map(plain));
    this.#hosts = new Set(addresses.map((address) => plain(address).replace(/:\d+$/, "")));
    this.#time = time;
  }

  readonly connects: NonNullable<Actor["connects"]> = (address, socket) => {
    const name = plain(address);
    if (!socket) return this.#hosts.has(name);
    if (!this.#addresses.has(/:\d+$/.test(name) ? name : `localhost:${name}`)) return false;
    this.#holdFor(socket);
    const { write } = socket;
    const held = (...args: readonly unknown[]): boolean => {
      this.#holdFor(socket);
      return Reflect.apply(write, socket, args);
    };
    socket.write = held;
    return true;
  };

  /** Sends a request made with `fetch`; undefined if its address is not permitted. */
  readonly fetch: NonNullable<Actor["fetch"]> = (request) => {
    if (!this.#addresses.has(addressOfUrl(new URL(request.url)))) return undefined;
    return this.#time.hold(currentActor.exit(() => this.#send(request, maxRedirects)));
  };

  #holdFor(socket: Socket): void {
    if (this.#active.has(socket)) return;
    this.#active.add(socket);
    const silent = currentActor.exit(() => silence(socket)).finally(() => this.#active.delete(socket));
    void this.#time.hold(silent);
  }

  async #send(request: Request, redirectsLeft: number): Promise<Response> {
    const response = await fetch(new Request(request, { redirect: "manual" }));
    const location = response.headers.get("location");
    const isRead = request.method === "GET" || request.method === "HEAD";
    if (location !== null && isRead && response.status < 400 && redirectsLeft > 0 && request.redirect === "follow") {
      const target = new URL(location, request.url);
      if (!this.#addresses.has(addressOfUrl(target)))
        throw new TypeError(`fetch failed: ${request.url} redirects to ${addressOfUrl(target)}, which is not allowed`);
      await response.body?.cancel();
      return this.#send(new Request(target, { method: request.method, headers: request.headers }), redirectsLeft - 1);
    }
    const { status, statusText, headers } = response;
    const isEmpty = [101, 204, 205, 304].includes(status);
    return new Response(isEmpty ? null : await response.arrayBuffer(), { status, statusText, headers });
  }
}

const plain = (address: string): string => address.toLowerCase().replaceAll(/[[\]]/g, "");

const addressOfUrl = ({ hostname, port, protocol }: URL): string =>
  plain(`${hostname}:${port || (protocol === "http:" ? 80 : 443)}`);

/** Waits until a socket has been connected, and then neither receives anything nor waits for a response. */
async function silence(socket: Socket): Promise<void> {
  let [received, sent, forMs, isDue] = [0, 0, 0, false];
  while (!socket.destroyed && forMs < (isDue ? responseMs : silentMs)) {
    await systemClock.sleep(checkMs);
    const { bytesRead, bytesWritten, connecting } = socket;
    const isActive = connecting || bytesRead !== received || bytesWritten !== sent;
    if (bytesRead !== received) isDue = false;
    else if (bytesWritten !== sent) isDue = true;
    [received, sent, forMs] = [bytesRead, bytesWritten, isActive ? 0 : forMs + checkMs];
  }
}

/** Describes a connection attempt that was refused, such as `connection to 10.0.0.7:443 was refused (pass --allow 10.0.0.7:443)`. */
export function refusalText(what: string): string {
  const [, method, url] = /^([A-Z]+) (https?:\/\/\S+)$/.exec(what) ?? [];
  if (method && url !== undefined) return refusedAt(addressOfUrl(new URL(url)));
  const [, address] = /^connect to (\S+)$/.exec(what) ?? [];
  if (address !== undefined) return refusedAt(address);
  const [, host] = /^look up (\S+)$/.exec(what) ?? [];
  return host === undefined
    ? `tried to ${what}, which was refused`
    : `look-up of ${host} was refused (pass --allow ${host}:PORT)`;
}

const refusedAt = (address: string): string => `connection to ${address} was refused (pass --allow ${address})`;
