import type { Socket } from "node:net";
import { type Clock, onNextTurn } from "@kubewright/clock";

/**
 * Duration in milliseconds after which a connection with a call in progress may be closed to make room for another. Webhooks respond faster
 * than this.
 */
const longCallMs = 5_000;

/**
 * Maximum number of calls in progress on all connections. Calls over HTTP/2 whose responses nobody reads would otherwise
 * fill the memory, since one connection can carry hundreds of them.
 */
const maxCalls = 2_048;

interface Connection {
  readonly id: string;
  readonly socket: Socket;
  readonly peer: string;
  hasCalled: boolean;
  calls: number;
  /** Reports whether the request of the last call is still arriving. */
  isArriving: () => boolean;
  /** Time at which a call last started or ended; initially, the time at which the connection was opened. */
  changedMs: number;
}

/**
 * A server's connections, up to a maximum number. Once it is reached, each new connection replaces a connection from
 * the peer with the most connections: preferably one that has not made a call yet, then one whose request is still
 * arriving, then an idle one, then one whose call has been taking a long time. If too many calls are in progress, the
 * busiest connection of the peer with the most calls is closed.
 */
export class Connections implements Disposable {
  readonly #clock: Clock;
  readonly #most: number;
  readonly #connections = new Map<string, Connection>();
  readonly #byPeer = new Map<string, number>();
  #calls = 0;

  constructor(clock: Clock, most: number) {
    this.#clock = clock;
    this.#most = most;
  }

  get size(): number {
    return this.#connections.size;
  }

  /**
   * Adds a connection. If there are too many connections and no other connection can be closed, the new connection is closed immediately.
   */
  add(socket: Socket): void {
    const peer = peerOf(socket.remoteAddress);
    if (this.#connections.size >= this.#most && !this.#makeRoom(peer)) return void socket.destroy();
    const id = idOf(socket);
    const changedMs = this.#clock.monotonic();
    const connection = { id, socket, peer, hasCalled: false, calls: 0, isArriving: () => false, changedMs };
    this.#connections.set(id, connection);
    this.#byPeer.set(peer, this.#countOf(peer) + 1);
    socket.once("close", () => this.#remove(connection));
  }

  /**
   * Records the start of a call. The caller must call the returned function when the call ends.
   *
   * @param request reports whether it has arrived completely. Default: it has
   */
  began(
    socket: Pick<Socket, "remoteAddress" | "remotePort" | "localAddress">,
    request: { readonly complete: boolean } = { complete: true },
  ): () => void {
    const connection = this.#connections.get(idOf(socket));
    if (!connection) return () => {};
    connection.hasCalled = true;
    connection.calls++;
    connection.isArriving = () => !request.complete;
    connection.changedMs = this.#clock.monotonic();
    if (++this.#calls > maxCalls) this.#closeBusiest();
    return () => {
      if (this.#connections.get(connection.id) === connection) this.#calls--;
      connection.calls--;
      connection.changedMs = this.#clock.monotonic();
    };
  }

  /** Closes all connections. */
  close(): void {
    for (const { socket } of [...this.#connections.values()]) socket.destroy();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #countOf(peer: string): number {
    return this.#byPeer.get(peer) ?? 0;
  }

  /**
   * Closes one connection from the peer with the most connections, if possible. A connection with a call in progress is closed only if the
   * new peer has fewer connections, or if the call is taking long.
   */
  #makeRoom(newcomer: string): boolean {
    let largest = newcomer;
    for (const peer of this.#byPeer.keys()) if (this.#countOf(peer) > this.#countOf(largest)) largest = peer;
    let victim: Connection | undefined;
    for (const one of this.#connections.values())
      if (one.peer === largest && (!victim || isWorseThan(victim, one))) victim = one;
    if (!victim) return false;
    const isBusy = rankOf(victim) === 3 && this.#clock.monotonic() - victim.changedMs < longCallMs;
    if (isBusy && this.#countOf(largest) <= this.#countOf(newcomer) + 1) return false;
    this.#remove(victim);
    victim.socket.destroy();
    return true;
  }

  /** Closes the connection with the most calls, from the peer with the most calls. */
  #closeBusiest(): void {
    const byPeer = new Map<string, { calls: number; busiest: Connection }>();
    for (const one of this.#connections.values()) {
      const { calls, busiest } = byPeer.get(one.peer) ?? { calls: 0, busiest: one };
      byPeer.set(one.peer, { calls: calls + one.calls, busiest: one.calls > busiest.calls ? one : busiest });
    }
    const [most] = [...byPeer.values()].toSorted((a, b) => b.calls - a.calls);
    if (!most) return;
    this.#remove(most.busiest);
    most.busiest.socket.destroy();
  }

  #remove(connection: Connection): void {
    if (this.#connections.get(connection.id) !== connection) return;
    this.#connections.delete(connection.id);
    this.#calls -= connection.calls;
    const left = this.#countOf(connection.peer) - 1;
    if (left > 0) this.#byPeer.set(connection.peer, left);
    else this.#byPeer.delete(connection.peer);
  }
}

function rankOf({ hasCalled, calls, isArriving }: Connection): 0 | 1 | 2 | 3 {
  if (calls > 0) return isArriving() ? 1 : 3;
  return hasCalled ? 2 : 0;
}

/** Reports whether closing the second connection is better than closing the first. */
function isWorseThan(first: Connection, second: Connection): boolean {
  const ranks = rankOf(first) - rankOf(second);
  return ranks > 0 || (ranks === 0 && first.changedMs > second.changedMs);
}

/** Returns an ID that is the same for a TLS socket, the socket below it, and the HTTP/2 streams above it. */
const idOf = ({
  remoteAddress,
  remotePort,
  localAddress,
}: Pick<Socket, "remoteAddress" | "remotePort" | "localAddress">): string =>
  `${remoteAddress} ${remotePort} ${localAddress}`;

const asking = new WeakSet<object>();

/**
 * Reports whether a second HTTP/1.1 request arrived together with the first. No usual client sends a request before it has
 * the response to the previous one. Serving thousands of requests that arrived together would delay all other clients.
 */
export function isPipelined(socket: object): boolean {
  if (asking.has(socket)) return true;
  asking.add(socket);
  onNextTurn(() => asking.delete(socket));
  return false;
}

/**
 * Returns the peer to which an address belongs. For IPv6, the peer is the 64-bit network, because one machine can use any number of
 * addresses within its network.
 */
export function peerOf(address = ""): string {
  if (!address.includes(":")) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped) return mapped;
  const [head = "", tail] = address.split("::", 2);
  const groups = head === "" ? [] : head.split(":");
  const after = tail ? tail.split(":") : [];
  const missing = tail === undefined ? 0 : Math.max(0, 8 - groups.length - after.length);
  return [...groups, ...Array(missing).fill("0"), ...after].slice(0, 4).join(":");
}
