import type { Clock } from "@kubewright/clock";
import {
  type CnfTransport,
  OpenWrtNetworkError,
  type TransportOptions,
  type TransportRequest,
  type TransportResponse,
  UnexpectedResponseError,
} from "@kubewright/openwrt";
import type { CnfResponse } from "@kubewright/openwrt/testing";
import { before, type CnfFault, spoiltBody } from "./cnf-faults.ts";
import type { CnfNetwork } from "./cnf-network.ts";
import { innerPassword, type SimulatedCnf } from "./simulated-cnf.ts";

export interface CnfLinkOptions {
  readonly network: CnfNetwork;
  readonly clock: Clock;
  readonly latencyMs: () => number;
  /** Reports whether the calling process is dead. */
  readonly isCutOff: () => boolean;
}

/** Transports the requests of one process to one CNF, with its faults. */
export class CnfLink implements CnfTransport {
  readonly #options: CnfLinkOptions;
  readonly #address: string;
  readonly #closed = new AbortController();

  constructor({ address = "" }: TransportOptions, options: CnfLinkOptions) {
    this.#address = address;
    this.#options = options;
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    const { clock } = this.#options;
    request.signal?.throwIfAborted();
    const what = `${request.method} https://${this.#address}/cgi-bin/luci/${request.path}`;
    const over = new AbortController();
    const abort = (): void => over.abort();
    for (const signal of [request.signal, this.#closed.signal])
      signal?.addEventListener("abort", abort, { once: true });
    const tooLate = clock.sleep(request.timeoutMs, over.signal).then((): never => {
      request.signal?.throwIfAborted();
      if (this.#closed.signal.aborted) throw new OpenWrtNetworkError(what, "The client is destroyed");
      throw new OpenWrtNetworkError(what, `no response within ${request.timeoutMs} ms`, { isTimeout: true });
    });
    try {
      if (this.#closed.signal.aborted) throw new OpenWrtNetworkError(what, "The client is destroyed");
      return await Promise.race([tooLate, this.#carried(request, what, over.signal)]);
    } finally {
      tooLate.catch(() => {}); // the winner was reported
      over.abort();
      for (const signal of [request.signal, this.#closed.signal]) signal?.removeEventListener("abort", abort);
    }
  }

  async close(): Promise<void> {
    this.#closed.abort();
  }

  async #carried(request: TransportRequest, what: string, over: AbortSignal): Promise<TransportResponse> {
    const { clock, network } = this.#options;
    await this.#wait(over);
    const cnf = network.called(this.#address, what, clock.monotonic());
    if (!cnf) throw new OpenWrtNetworkError(what, `connect ECONNREFUSED ${this.#address}:443`);
    cnf.requests++;
    const fault = cnf.faults.shift();
    if (fault === "late") await clock.sleep(10_000, over);
    if (cnf.slowMs > 0) await clock.sleep(cnf.slowMs, over);
    if (over.aborted) return never();
    const early = fault && before.has(fault) ? await this.#spoilt(fault, request, what) : undefined;
    if (early) return early;
    const response = await asked(cnf, request);
    // An interface that is not listed may be down, so the operator repeatedly switches it up.
    const isNoInterface = request.path.includes("/interfaces/") && response.status === 404;
    if (request.method !== "GET" && request.path !== "" && !isNoInterface) cnf.writes++;
    await this.#wait(over);
    return (fault && (await this.#spoilt(fault, request, what, response))) ?? response;
  }

  async #wait(over: AbortSignal): Promise<void> {
    await this.#options.clock.sleep(this.#options.latencyMs(), over);
    if (this.#options.isCutOff() || over.aborted) await never();
  }

  /** Returns a corrupted answer; undefined if the answer stays as it is. */
  async #spoilt(
    fault: CnfFault,
    request: TransportRequest,
    what: string,
    response?: TransportResponse,
  ): Promise<TransportResponse | undefined> {
    const plain = (status: number, body: string) => ({ status, contentType: "text/plain", cookies: [], body });
    switch (fault) {
      case "late":
        return undefined;
      case "hangs":
      case "hangsAfterwards":
        return never();
      case "drops":
      case "dropsAfterwards":
        throw new OpenWrtNetworkError(what, "other side closed");
      case "serverError":
      case "serverErrorAfterwards":
        return plain(500, '{"message":"uci: I/O error"}');
      case "unauthorized":
        return plain(401, "Unauthorized");
      case "forbidden":
        return plain(403, "Forbidden");
      case "echo":
        return plain(request.method === "GET" ? 500 : 400, `cannot process ${request.body ?? ""}`);
      case "huge":
        throw new UnexpectedResponseError(200, `${what}: the response is larger than 4194304 bytes`);
      default:
        return response && { ...response, contentType: "application/json", body: spoiltBody(fault, response.body) };
    }
  }
}

async function asked(cnf: SimulatedCnf, { method, path, headers = {}, body }: TransportRequest) {
  const answer = await cnf.simulator.answer({
    method,
    path: `/cgi-bin/luci/${path}`,
    headers,
    body: body === undefined ? undefined : Buffer.from(path === "" ? withInnerPassword(cnf, body) : body),
    isChunked: false,
  });
  if (!answer) throw new Error("the simulated CNF gives no answer");
  return responseOf(answer);
}

/** The password of a simulator never changes; that of the CNF does. */
function withInnerPassword(cnf: SimulatedCnf, body: string): string {
  const form = new URLSearchParams(body);
  form.set("luci_password", form.get("luci_password") === cnf.password ? innerPassword : "not the password");
  return form.toString();
}

const responseOf = ({ status, contentType = "", headers = {}, body }: CnfResponse): TransportResponse => ({
  status,
  contentType,
  cookies: [headers["Set-Cookie"] ?? []].flat(),
  body,
});

const never = (): Promise<never> => new Promise(() => {});
