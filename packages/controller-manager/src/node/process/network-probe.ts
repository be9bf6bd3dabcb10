import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { connect } from "node:net";
import type { Probe, ProbeResult } from "../probe.ts";
import type { Container } from "./downward-values.ts";

const good: ProbeResult = { isGood: true };
const bad = (message: string): ProbeResult => ({ isGood: false, message });

/**
 * Runs a network probe against a process. For `httpGet`, it sends the configured request; for `tcpSocket` and `grpc`, it only opens a
 * connection.
 *
 * @see kubernetes pkg/probe
 */
export async function networkProbe(
  ip: string,
  container: Container,
  { httpGet, tcpSocket, grpc }: Probe,
  signal: AbortSignal,
): Promise<ProbeResult> {
  if (httpGet) return await httpResult(ip, container, httpGet, signal);
  const target = tcpSocket ?? grpc;
  return target ? await connectResult(hostOf(tcpSocket?.host, ip), portNumber(container, target.port), signal) : good;
}

const hostOf = (host: string | undefined, ip: string): string => host || ip;

const portNumber = ({ ports = [] }: Container, port: number | string): number =>
  typeof port === "number" ? port : (ports.find(({ name }) => name === port)?.containerPort ?? Number(port));

/** Returns the result of an `httpGet` probe. Status codes from 200 to 399 count as success. */
function httpResult(
  ip: string,
  container: Container,
  { host, port, path = "/", scheme = "HTTP", httpHeaders = [] }: NonNullable<Probe["httpGet"]>,
  signal: AbortSignal,
): Promise<ProbeResult> {
  const { promise, resolve } = Promise.withResolvers<ProbeResult>();
  const address = `${hostOf(host, ip)}:${portNumber(container, port)}`;
  const url = URL.parse(`${scheme.toLowerCase()}://${address}${path.startsWith("/") ? "" : "/"}${path}`);
  if (!url) return Promise.resolve(bad(`parse "${scheme.toLowerCase()}://${address}${path}": not a URL`));
  const headers = Object.fromEntries(httpHeaders.map(({ name, value }) => [name, value]));
  const isTls = url.protocol === "https:";
  const sent = (isTls ? httpsRequest : httpRequest)(url, {
    headers: { "user-agent": "kube-probe/1.37", accept: "*/*", connection: "close", ...headers },
    signal,
    agent: false,
    ...(isTls ? { rejectUnauthorized: false } : {}), // like kubelets, do not verify the certificate
  });
  sent.on("response", (response) => {
    const code = response.statusCode ?? 0;
    response.destroy();
    resolve(code >= 200 && code < 400 ? good : bad(`HTTP probe failed with statuscode: ${code}`));
  });
  sent.on("error", (error) => resolve(bad(`Get "${url.href}": ${reasonOf(error, address, signal)}`)));
  sent.end();
  return promise;
}

function connectResult(host: string, port: number, signal: AbortSignal): Promise<ProbeResult> {
  const { promise, resolve } = Promise.withResolvers<ProbeResult>();
  const socket = connect({ host, port, signal });
  socket.on("connect", () => resolve(good));
  socket.on("error", (error) => resolve(bad(reasonOf(error, `${host}:${port}`, signal))));
  return promise.finally(() => socket.destroy());
}

function reasonOf(error: Error, address: string, signal: AbortSignal): string {
  if (signal.aborted) return "context deadline exceeded (Client.Timeout exceeded while awaiting headers)";
  const isRefused = "code" in error && error.code === "ECONNREFUSED";
  return isRefused ? `dial tcp ${address}: connect: connection refused` : error.message;
}
