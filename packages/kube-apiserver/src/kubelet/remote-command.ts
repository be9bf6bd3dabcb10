import type { Duplex, Writable } from "node:stream";
import { finished } from "node:stream/promises";
import { internalError, isStatusError, type Status } from "@kubewright/apimachinery";
import { type ApiRequest, asksForWebSocket, sendPlainText } from "@kubewright/apiserver/endpoints";
import type { Clock } from "@kubewright/clock";
import type { ContainerSession, ContainerStreams } from "./kubelets.ts";
import type { SpdyStream } from "./spdy-connection.ts";
import { idleMs, streamCreationMs, upgradeToSpdy } from "./spdy-upgrade.ts";
import { asksForClosing, type ChannelType, closingProtocol, openChannels } from "./web-socket-streams.ts";

export interface RemoteCommand {
  /** Streams that the client requests. */
  readonly requested: Readonly<Record<"stdin" | "stdout" | "stderr" | "tty", boolean>>;
  /** Prefix of errors. */
  readonly failure: "error executing command in container" | "error attaching to container";
  /** Function that connects the client to the process, or the error that the kubelet reported instead. */
  readonly session: ContainerSession | Error;
  readonly clock: Clock;
}

/** A client's streams after the upgrade. */
interface Client {
  readonly protocol: string;
  readonly streams: ContainerStreams;
  /** Stream for the result. */
  readonly status: Writable;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
  /** Closes the connection when the client has received everything. */
  close(): void;
}

const spdyProtocols = ["v4.channel.k8s.io", "v3.channel.k8s.io", "v2.channel.k8s.io", "channel.k8s.io"];
/** Protocols over SPDY in which a client with a terminal opens a stream for the terminal's size. */
const resizingProtocols = spdyProtocols.slice(0, 2);
const webSocketProtocols = ["v4.channel.k8s.io", "v4.base64.channel.k8s.io", "channel.k8s.io", "base64.channel.k8s.io"];
/** Reports whether the result is sent as a Status, which contains the exit code, rather than as text. */
const sendsStatus = (protocol: string): boolean => /^v[45]\./.test(protocol);
const streamTypes: ReadonlySet<string> = new Set(["error", "stdin", "stdout", "stderr", "resize"]);

/**
 * Serves `pods/exec` and `pods/attach`: upgrades the connection to the protocol that the client requests, connects the client to a process,
 * and sends the result.
 *
 * @see cri-streaming pkg/streaming/remotecommand, apiserver pkg/util/proxy StreamTranslatorHandler
 */
export async function serveRemoteCommand(request: ApiRequest, command: RemoteCommand): Promise<void> {
  const { stdin, stdout, stderr, tty } = command.requested;
  const wanted = { stdin, stdout, stderr: stderr && !tty, tty };
  const isNothing = !stdin && !stdout && !wanted.stderr;
  const session = isNothing ? new Error("you must specify at least 1 of stdin, stdout, stderr") : command.session;
  if (session instanceof Error && !asksForClosing(request)) {
    if (isStatusError(session)) throw session;
    return sendPlainText(request, isNothing ? 400 : 500, session.message);
  }
  const client = asksForWebSocket(request)
    ? overWebSocket(request, wanted, command.clock)
    : await overSpdy(request, wanted, command.clock);
  if (!client) return;
  const { stdout: output, stderr: errors } = client.streams;
  const result = session instanceof Error ? refusal(session) : await outcome(session, command.failure, client);
  await Promise.all([output, errors].map((stream) => stream && ended(stream)));
  if (sendsStatus(client.protocol)) client.status.write(JSON.stringify(result));
  else if (result.status === "Failure") client.status.write(result.message ?? "");
  await ended(client.status);
  client.close();
}

type SentStatus = Omit<Status, "kind" | "apiVersion">;

async function outcome(
  session: ContainerSession,
  failure: RemoteCommand["failure"],
  { streams, signal }: Client,
): Promise<SentStatus> {
  try {
    const exitCode = await session(streams, signal);
    return exitCode === 0 ? { metadata: {}, status: "Success" } : exited(exitCode);
  } catch (error) {
    return isStatusError(error) ? error.status : sent(internalError(`${failure}: ${textOf(error)}`).status);
  }
}

/** Returns an error as the result that a client receives after its connection has been upgraded. */
const refusal = (error: Error): SentStatus =>
  sent(isStatusError(error) ? error.status : internalError(`unable to upgrade connection: ${error.message}`).status);

const sent = ({ kind: _kind, apiVersion: _apiVersion, ...status }: Status): SentStatus => status;

const exited = (code: number): SentStatus => ({
  metadata: {},
  status: "Failure",
  message: `command terminated with non-zero exit code: command terminated with exit code ${code}`,
  reason: "NonZeroExitCode",
  details: { causes: [{ reason: "ExitCode", message: String(code) }] },
});

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Ends a stream, and waits until its data has been sent or the client has disconnected. */
async function ended(stream: Writable): Promise<void> {
  if (!stream.writableEnded) stream.end();
  await finished(stream, { readable: false }).catch(() => {}); // the client has disconnected
}

type Wanted = RemoteCommand["requested"];

/** Returns those streams that the client requested. Data that arrives on output streams is ignored. */
function requestedStreams(wanted: Wanted, of: (type: "stdin" | "stdout" | "stderr") => Duplex | undefined) {
  const [stdin, stdout, stderr] = [of("stdin"), of("stdout"), of("stderr")];
  for (const output of [stdout, stderr]) output?.resume();
  return {
    tty: wanted.tty,
    ...(wanted.stdin && stdin ? { stdin } : {}),
    ...(wanted.stdout && stdout ? { stdout } : {}),
    ...(wanted.stderr && stderr ? { stderr } : {}),
  };
}

function overWebSocket(request: ApiRequest, wanted: Wanted, clock: Clock): Client | undefined {
  const output = (isWanted: boolean): ChannelType => (isWanted ? "write" : "ignore");
  const opened = openChannels(request, {
    protocols: asksForClosing(request) ? [closingProtocol] : webSocketProtocols,
    types: [wanted.stdin ? "read" : "ignore", output(wanted.stdout), output(wanted.stderr), "write", "read"],
    ...{ clock, idleMs },
  });
  if (!opened) return undefined;
  const [stdin, stdout, stderr, status, resize] = opened.channels;
  if (!status) throw new Error("there is no channel for the result");
  resize?.resume();
  const first = wanted.stdout ? stdout : wanted.stderr ? stderr : status;
  first?.write(Buffer.alloc(0)); // as in upstream, an empty first message shows that the connection is ready
  const streams = requestedStreams(wanted, (type) => ({ stdin, stdout, stderr })[type]);
  return { protocol: opened.protocol, streams, status, signal: request.signal, close: opened.close };
}

async function overSpdy(request: ApiRequest, wanted: Wanted, clock: Clock): Promise<Client | undefined> {
  const streams = new Map<string, SpdyStream>();
  const complete = Promise.withResolvers<void>();
  let expected = Number.POSITIVE_INFINITY;
  const upgraded = upgradeToSpdy(request, spdyProtocols, {
    clock,
    maxStreams: streamTypes.size,
    accept(stream) {
      const type = stream.headers.get("streamtype") ?? "";
      if (!streamTypes.has(type) || streams.has(type)) return false;
      streams.set(type, stream);
      if (streams.size === expected) complete.resolve();
      return true;
    },
  });
  if (!upgraded) return undefined;
  const { protocol, connection } = upgraded;
  const { stdin, stdout, stderr, tty } = wanted;
  expected = 1 + [stdin, stdout, stderr, tty && resizingProtocols.includes(protocol)].filter(Boolean).length;
  const late = clock.after(streamCreationMs, () => connection.close(), { unref: true });
  await Promise.race([complete.promise, connection.closed]);
  late.cancel();
  const status = streams.get("error");
  if (!status || streams.size < expected) return void connection.close();
  for (const each of [status, streams.get("resize")]) each?.resume();
  const gone = new AbortController();
  void connection.closed.then(() => gone.abort());
  return {
    ...{ protocol, status, signal: gone.signal },
    streams: requestedStreams(wanted, (type) => streams.get(type)),
    close() {
      streams.get("stdin")?.end();
      connection.close();
    },
  };
}
