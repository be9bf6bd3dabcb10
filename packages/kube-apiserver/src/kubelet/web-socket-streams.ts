import { Duplex } from "node:stream";
import type { ApiRequest } from "@kubewright/apiserver/endpoints";
import { asksForWebSocket } from "@kubewright/apiserver/endpoints";
import type { Clock, Timer } from "@kubewright/clock";

/** The direction of a channel, from the server's point of view. Data in the other direction is ignored. */
export type ChannelType = "ignore" | "read" | "write" | "both";

/** Maximum size of a client's message. Clients send about 32 KiB per message. */
const maxMessageBytes = 1_024 * 1_024;
/** Beginning of a message that ends a channel. */
const closeSignal = 255;
const asciiZero = 0x30;
const tunnelPrefix = "SPDY/3.1+";
/** Maximum number of channels. A channel's number is one byte, and the highest value has a different meaning. */
export const maxChannels = 255;

const requestedProtocols = (request: ApiRequest): readonly string[] =>
  asksForWebSocket(request)
    ? (request.header("sec-websocket-protocol") ?? "").split(",").map((protocol) => protocol.trim())
    : [];

/**
 * The WebSocket protocol in which a client can close a channel. It is handled by the server itself, not by the kubelet.
 */
export const closingProtocol = "v5.channel.k8s.io";

/** Reports whether a client requests the WebSocket protocol in which it can close a channel. */
export const asksForClosing = (request: ApiRequest): boolean => requestedProtocols(request).includes(closingProtocol);

/** Returns the SPDY protocols that a client offers to use over a WebSocket. */
export const tunneledProtocols = (request: ApiRequest): readonly string[] =>
  requestedProtocols(request)
    .filter((protocol) => protocol.startsWith(tunnelPrefix) && protocol.endsWith(".k8s.io"))
    .map((protocol) => protocol.slice(tunnelPrefix.length));

export interface WebSocketChannels {
  /** Agreed protocol; an empty string if the client requested none. */
  readonly protocol: string;
  readonly channels: readonly Duplex[];
  /** Closes the WebSocket when the client has received everything. */
  close(): void;
}

interface ChannelOptions {
  readonly protocols: readonly string[];
  readonly types: readonly ChannelType[];
  readonly clock: Clock;
  /** Time after which a connection without messages is closed, in milliseconds. */
  readonly idleMs: number;
}

/**
 * Upgrades a connection to a WebSocket with channels: each message begins with the number of its channel. In protocols
 * whose names contain `base64`, messages are text.
 *
 * @returns `undefined` if the upgrade was rejected
 * @see streaming pkg/httpstream/wsstream Conn
 */
export function openChannels(request: ApiRequest, options: ChannelOptions): WebSocketChannels | undefined {
  const isText = (protocol: string): boolean => protocol.includes("base64");
  const opened = open(request, options, {
    protocols: options.protocols,
    isBinary: (protocol) => !isText(protocol),
    receive: (message) => receive(message),
  });
  if (!opened) return undefined;
  const { protocol, write } = opened;
  const channels = options.types.map(
    (type, number) =>
      new MessageStream(type, (data) =>
        write(
          isText(protocol)
            ? `${String.fromCharCode(asciiZero + number)}${data.toString("base64")}`
            : Buffer.concat([Buffer.from([number]), data]),
        ),
      ),
  );
  const receive = (message: Buffer): Promise<void> | void => {
    const [number = 0] = message;
    if (message.length === 0) return undefined;
    if (protocol === closingProtocol && number === closeSignal) {
      const ended = message.length === 2 ? channels[message[1] ?? closeSignal] : undefined;
      if (!ended) throw new Error("the close message does not name an open channel");
      return ended.receivedEnd();
    }
    const channel = channels[isText(protocol) ? number - asciiZero : number];
    const data = message.subarray(1);
    return channel?.received(isText(protocol) ? Buffer.from(data.toString("latin1"), "base64") : data);
  };
  opened.whenClosed(channels);
  return { protocol, channels, close: () => request.response.end() };
}

/**
 * Upgrades a connection to a WebSocket that carries the data of a SPDY connection.
 *
 * @param protocol agreed SPDY protocol
 *
 * @returns `undefined` if the upgrade was rejected
 * @see apiserver pkg/util/proxy TunnelingHandler
 */
export function openTunnel(
  request: ApiRequest,
  protocol: string,
  options: Pick<ChannelOptions, "clock" | "idleMs">,
): Duplex | undefined {
  const opened = open(request, options, {
    protocols: [`${tunnelPrefix}${protocol}`],
    isBinary: () => true,
    receive: (message) => stream.received(message),
  });
  if (!opened) return undefined;
  const stream = new MessageStream("both", opened.write, () => request.response.end());
  opened.whenClosed([stream]);
  return stream;
}

interface Opened {
  readonly protocol: string;
  write(message: Buffer | string): Promise<void>;
  /** Ends the given streams when the connection ends. */
  whenClosed(streams: readonly MessageStream[]): void;
}

function open(
  request: ApiRequest,
  { clock, idleMs }: Pick<ChannelOptions, "clock" | "idleMs">,
  wanted: {
    readonly protocols: readonly string[];
    readonly isBinary: (protocol: string) => boolean;
    readonly receive: (message: Buffer) => Promise<void> | void;
  },
): Opened | undefined {
  const { response } = request;
  let idle: Timer | undefined;
  let activeMs = clock.monotonic();
  const protocol = response.upgrade?.({
    ...wanted,
    maxMessageBytes,
    receive: (message) => {
      activeMs = clock.monotonic();
      return wanted.receive(message);
    },
  });
  if (protocol === undefined) return undefined;
  request.responseStarted();
  const watch = (ms: number): void => {
    const check = (): void => {
      const left = activeMs + idleMs - clock.monotonic();
      if (left > 0) watch(left);
      else response.destroy?.();
    };
    idle = clock.after(ms, check, { unref: true });
  };
  watch(idleMs);
  return {
    protocol,
    async write(message) {
      activeMs = clock.monotonic();
      response.write(message);
      await request.drained();
    },
    whenClosed(streams) {
      const end = (): void => {
        idle?.cancel();
        for (const stream of streams) stream.destroy();
      };
      if (request.isOver) end();
      else response.on("close", end);
    },
  };
}

/** Stream over a WebSocket or over one of its channels. */
class MessageStream extends Duplex {
  readonly #type: ChannelType;
  readonly #send: (data: Buffer) => Promise<void>;
  readonly #finish: () => void;
  #resume: () => void = () => {};
  #hasEnded = false;

  constructor(type: ChannelType, send: (data: Buffer) => Promise<void>, finish: () => void = () => {}) {
    super({ autoDestroy: false });
    this.#type = type;
    this.#send = send;
    this.#finish = finish;
    this.on("error", () => {}); // the consumer of the stream observes its end
    if (type === "ignore" || type === "write") this.receivedEnd();
  }

  /** Passes data to the consumer. The result is pending as long as the consumer still has unread data. */
  received(data: Buffer): Promise<void> | void {
    if (this.#hasEnded || this.destroyed || this.push(data)) return undefined;
    return new Promise((resolve) => {
      this.#resume = resolve;
    });
  }

  receivedEnd(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.push(null);
  }

  override _read(): void {
    this.#resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    if (this.#type === "ignore" || this.#type === "read") done();
    else void this.#send(chunk).then(done);
  }

  override _final(done: () => void): void {
    this.#finish();
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#resume();
    this.#finish();
    done(error);
  }
}
