import type { Duplex, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { badRequest, isStatusError } from "@kubewright/apimachinery";
import { type ApiRequest, asksForWebSocket, sendPlainText } from "@kubewright/apiserver/endpoints";
import type { Clock, Timer } from "@kubewright/clock";
import type { PodDialer, PodRequest } from "./kubelets.ts";
import type { SpdyStream } from "./spdy-connection.ts";
import { idleMs, streamCreationMs, upgradeToSpdy } from "./spdy-upgrade.ts";
import { type ChannelType, maxChannels, openChannels, tunneledProtocols } from "./web-socket-streams.ts";

export interface PortForward {
  readonly pod: PodRequest;
  /** Ports in the request. They are used only for WebSockets with channels. */
  readonly ports: readonly number[];
  /** Function that connects to a port of the pod, or the error that the kubelet reported instead. */
  readonly dial: PodDialer | Error;
  readonly clock: Clock;
}

/** The two streams of a forwarded connection. */
interface Pair {
  readonly port: number;
  readonly data: Duplex;
  readonly error: Writable;
}

/** Maximum number of streams on one connection. Each forwarded connection has two. */
const maxStreams = 512;

/**
 * Serves `pods/portforward`. Over SPDY (also within a WebSocket), the client opens two streams for each connection to a
 * port; over a WebSocket with channels, there is one connection for each requested port.
 *
 * @see cri-streaming pkg/streaming/portforward
 */
export async function servePortForward(request: ApiRequest, forward: PortForward): Promise<void> {
  const { dial, ports } = forward;
  const hasChannels = asksForWebSocket(request) && tunneledProtocols(request).length === 0;
  if (hasChannels && ports.length === 0) return sendPlainText(request, 400, 'query parameter "port" is required');
  if (hasChannels && ports.includes(0)) return sendPlainText(request, 400, `port "${ports.join(",")}" must be > 0`);
  if (hasChannels && ports.length * 2 > maxChannels)
    throw badRequest(`ports: at most ${maxChannels >> 1} are forwarded`);
  if (isStatusError(dial)) throw dial;
  if (dial instanceof Error) return sendPlainText(request, 500, dial.message);
  if (hasChannels) await overChannels(request, forward, dial);
  else await overSpdy(request, forward, dial);
}

async function overChannels(request: ApiRequest, forward: PortForward, dial: PodDialer): Promise<void> {
  const opened = openChannels(request, {
    protocols: ["v4.channel.k8s.io", "v4.base64.channel.k8s.io"],
    types: forward.ports.flatMap((): ChannelType[] => ["both", "write"]),
    ...{ clock: forward.clock, idleMs },
  });
  if (!opened) return;
  const { channels } = opened;
  const pairs = forward.ports.flatMap((port, index): Pair[] => {
    const [data, error] = [channels[index * 2], channels[index * 2 + 1]];
    if (!data || !error) return [];
    const first = Buffer.alloc(2);
    first.writeUInt16LE(port);
    for (const channel of [data, error]) channel.write(first);
    return [{ port, data, error }];
  });
  await Promise.all(pairs.map((pair) => join(pair, forward.pod, dial, request.signal)));
  opened.close();
}

async function overSpdy(request: ApiRequest, { pod, clock }: PortForward, dial: PodDialer): Promise<void> {
  const incomplete = new Map<string, { readonly stream: SpdyStream; readonly late: Timer }>();
  const gone = new AbortController();
  const upgraded = upgradeToSpdy(request, ["portforward.k8s.io"], {
    clock,
    maxStreams,
    accept(stream) {
      const type = stream.headers.get("streamtype");
      const port = Number(/^\d{1,5}$/.exec(stream.headers.get("port") ?? "")?.[0]);
      if ((type !== "data" && type !== "error") || !(port > 0 && port <= 65_535)) return false;
      const id = stream.headers.get("requestid") ?? String(type === "error" ? stream.id : stream.id - 2);
      const other = incomplete.get(id);
      if (!other) {
        const giveUp = (): void => {
          incomplete.delete(id);
          stream.destroy();
        };
        incomplete.set(id, { stream, late: clock.after(streamCreationMs, giveUp, { unref: true }) });
        return true;
      }
      if (other.stream.headers.get("streamtype") === type) return false;
      other.late.cancel();
      incomplete.delete(id);
      const [data, error] = type === "data" ? [stream, other.stream] : [other.stream, stream];
      error.resume();
      void join({ port: Number(data.headers.get("port")), data, error }, pod, dial, gone.signal);
      return true;
    },
  });
  if (!upgraded) return;
  await upgraded.connection.closed;
  gone.abort();
  for (const { late } of incomplete.values()) late.cancel();
}

/**
 * Joins a client's streams with a connection to the pod, until the pod ends the connection or one of the sides breaks it. Never
 * rejects.
 */
async function join({ port, data, error }: Pair, pod: PodRequest, dial: PodDialer, signal: AbortSignal): Promise<void> {
  const ignoreBroken = (): void => {};
  try {
    const connection = await dial(port, signal);
    connection.on("error", ignoreBroken);
    void pipeline(data, connection).catch(ignoreBroken);
    await pipeline(connection, data).catch(ignoreBroken);
    connection.destroy();
    error.end();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    error.end(`error forwarding port ${port} to pod ${pod.pod}, uid ${pod.podUid}: ${why}`);
  }
  data.destroy();
}
