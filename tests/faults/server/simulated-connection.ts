import { type Status, StatusError } from "@kubewright/apimachinery";
import {
  Connection,
  ConnectionError,
  type ConnectionRequest,
  type ConnectionResponse,
  type StreamedResponse,
} from "@kubewright/client";
import type { SimulatedServer } from "./simulated-server.ts";

const server = "http://simulated.invalid";

/**
 * A connection without a network: the server's answers are bytes and statuses, its failures those of a network. It never retries, so the
 * informer has to handle everything.
 */
export class SimulatedConnection extends Connection {
  readonly #server: SimulatedServer;

  constructor(simulated: SimulatedServer) {
    super({ server });
    this.#server = simulated;
  }

  override async request(request: ConnectionRequest): Promise<ConnectionResponse> {
    const { status, body } = await this.#sent(request, () => this.#server.list(queryOf(request), request.signal));
    return { status, headers: {}, body };
  }

  override async stream(request: ConnectionRequest): Promise<StreamedResponse> {
    const answer = await this.#sent(request, () => this.#server.watch(queryOf(request), request.signal));
    if ("body" in answer) throw new StatusError(JSON.parse(answer.body.toString()) as Status);
    const chunks = this.#received(request, answer.chunks);
    const whole = async (): Promise<Buffer> => {
      const all: Buffer[] = [];
      for await (const chunk of chunks) all.push(chunk);
      return Buffer.concat(all);
    };
    return { status: answer.status, headers: {}, chunks, whole, cancel: () => void chunks.return() };
  }

  async #sent<A>(request: ConnectionRequest, send: () => Promise<A>): Promise<A> {
    request.signal?.throwIfAborted();
    try {
      return await send();
    } catch (error) {
      throw failureOf(request, error);
    }
  }

  async *#received(request: ConnectionRequest, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
    try {
      yield* chunks;
    } catch (error) {
      throw failureOf(request, error);
    }
  }
}

function queryOf({ query = {} }: ConnectionRequest): URLSearchParams {
  const sent = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) sent.set(name, String(value));
  return sent;
}

function failureOf({ signal, method = "GET", path, what }: ConnectionRequest, cause: unknown): unknown {
  return signal?.aborted ? signal.reason : new ConnectionError({ method, url: server + path, what }, cause);
}
