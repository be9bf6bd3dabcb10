import { connect } from "node:net";
import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import type { Pod } from "@kubewright/client/kinds";
import type { Clock } from "@kubewright/clock";
import { purposeLabel } from "../api/group.ts";
import { IpsecHost, IpsecSite } from "../api/ipsec/ipsec-remotes.ts";
import type { CnfApi } from "../cnf/cnf-api.ts";
import { codeOf } from "../cnf/cnf-error.ts";
import type { CnfScope } from "../cnf/cnf-scope.ts";
import { byPurpose } from "../cnf/indexes.ts";
import { connectionsOf, type IpsecConnection, startedConnections } from "../reporting/ipsec-connections.ts";
import { isAmong } from "../reporting/tunnel-log.ts";
import { type Tunnels, tunnelsIn } from "../reporting/tunnels.ts";
import type { Probe } from "./confirm-settings.ts";

/** Opens a TCP connection and closes it. Rejects if this fails or the signal aborts. */
export type ConnectTcp = (address: string, port: number, signal: AbortSignal) => Promise<void>;

/**
 * Result of a round of probes. `answers` is true if the CNF's REST API responds. `failure` is the reason why the first
 * failed probe failed.
 */
export type ProbeResult =
  | { readonly answers: false; readonly failure: string }
  | { readonly answers: true; readonly failure: string | undefined };

export interface ProbesOptions {
  readonly reader: Reader;
  readonly scope: CnfScope;
  readonly clock: Clock;
  /** Default: a connection from this process. */
  readonly connectTcp?: ConnectTcp | undefined;
}

/** Maximum time for each connection and each request of a probe. */
const timeoutMs = 5_000;

/** Runs CNFs' probes. */
export class Probes {
  readonly #options: ProbesOptions;

  constructor(options: ProbesOptions) {
    this.#options = options;
  }

  /**
   * Queries a CNF over a new connection, and runs its probes once. Takes at most 10 seconds. Never rejects.
   *
   * @param open opens a new connection
   */
  async run(
    pod: DeepReadonly<Pod>,
    probes: readonly Probe[],
    open: () => Promise<CnfApi>,
    signal: AbortSignal,
  ): Promise<ProbeResult> {
    const asked = await this.#withTimeout(signal, (limit) => ask(open, limit)).catch(unanswered);
    if ("failure" in asked) return { answers: false, failure: asked.failure };
    const { status } = asked;
    const results = await Promise.all(
      probes.map((probe) =>
        probe.type === "tcp" ? this.#tcpFailure(probe, signal) : this.#tunnelFailure(probe, pod, status),
      ),
    );
    return { answers: true, failure: results.find((failure) => failure !== undefined) };
  }

  async #tcpFailure(
    { text, address, port }: Extract<Probe, { type: "tcp" }>,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { connectTcp = connectFromHere } = this.#options;
    try {
      await this.#withTimeout(signal, (limit) => connectTcp(address, port, limit));
      return undefined;
    } catch {
      return `${text}: the operator cannot connect`;
    }
  }

  async #tunnelFailure(
    { text, name }: Extract<Probe, { type: "tunnel" }>,
    pod: DeepReadonly<Pod>,
    status: unknown,
  ): Promise<string | undefined> {
    const tunnels = tunnelsIn([{ name: "ipsec", status }]);
    if (!tunnels) return `${text}: the CNF does not report its tunnels`;
    const remotes = await this.#remotesOf(pod).catch(() => []);
    const named = remotes.filter(({ metadata }) => metadata.name === name);
    if (named.length === 0) return `${text}: no IpsecHost or IpsecSite of the CNF has this name`;
    const required = remotes.reduce((sum, { spec }) => sum + startedConnections(spec).length, 0);
    const isUp = named.some(({ spec }) => areUp(connectionsOf(spec), startedConnections(spec), tunnels, required));
    return isUp ? undefined : `${text}: the tunnel is down`;
  }

  async #remotesOf({ metadata }: DeepReadonly<Pod>): Promise<readonly DeepReadonly<IpsecHost | IpsecSite>[]> {
    const { reader, scope } = this.#options;
    const selection = { fields: { [byPurpose]: metadata.labels?.[purposeLabel] ?? "" } };
    const remotes: readonly DeepReadonly<IpsecHost | IpsecSite>[] = (
      await Promise.all([reader.list(IpsecHost, selection), reader.list(IpsecSite, selection)])
    ).flat();
    return remotes.filter((remote) => scope.allows(remote.metadata.namespace, metadata.namespace));
  }

  async #withTimeout<T>(signal: AbortSignal, work: (limit: AbortSignal) => Promise<T>): Promise<T> {
    const end = new AbortController();
    const abort = (): void => end.abort(new Error("aborted"));
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    const timer = this.#options.clock.after(timeoutMs, abort, { unref: true });
    const aborted = new Promise<never>((_, reject) => {
      const fail = (): void => reject(new Error(`no answer within ${timeoutMs / 1_000} s`));
      if (end.signal.aborted) fail();
      else end.signal.addEventListener("abort", fail, { once: true });
    });
    try {
      return await Promise.race([work(end.signal), aborted]);
    } finally {
      timer.cancel();
      aborted.catch(() => {}); // the result is known
      abort();
      signal.removeEventListener("abort", abort);
    }
  }
}

/** Returns the IPsec status of a CNF, or undefined if the CNF responds without one. */
async function ask(open: () => Promise<CnfApi>, signal: AbortSignal): Promise<{ readonly status: unknown }> {
  const api = await open();
  try {
    return { status: await api.statusOf("ipsec", signal) };
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return { status: undefined };
  } finally {
    await api.close();
  }
}

const unanswered = (): { readonly failure: string } => ({ failure: "the CNF's REST API does not respond" });

/**
 * Reports whether the connections of a resource are up.
 *
 * @param required number of tunnels of the CNF that must be up
 */
function areUp(
  all: readonly IpsecConnection[],
  started: readonly IpsecConnection[],
  tunnels: Tunnels,
  required: number,
): boolean {
  const expected = started.length > 0 ? started : all;
  if (expected.length === 0) return false;
  return (started.length > 0 && tunnels.up >= required) || expected.every((each) => isAmong(tunnels.selectors, each));
}

const connectFromHere: ConnectTcp = (host, port, signal) =>
  new Promise((resolve, reject) => {
    const socket = connect({ host, port });
    const abort = (): void => void socket.destroy(new Error("aborted"));
    signal.addEventListener("abort", abort, { once: true });
    socket.once("connect", () => {
      socket.destroy();
      resolve();
    });
    socket.once("error", reject);
    socket.once("close", () => signal.removeEventListener("abort", abort));
  });
