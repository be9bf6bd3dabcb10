import type { Probe, ProbeResult } from "@kubewright/controller-manager";
import { simulatedRun } from "./simulated-command.ts";
import { baseName, type Container } from "./simulated-files.ts";

const good: ProbeResult = { isGood: true };
const bad = (message: string): ProbeResult => ({ isGood: false, message });

/** Handlers by path. Ports without HTTP have an empty map. */
type Port = (path: string, ageMs: number) => ProbeResult;

const healthyMs = 10_000;
const asksNothing: Port = () => good;

/** `/healthz` succeeds for ten seconds. `/redirect?loc=…` redirects, but probes only follow redirects on the same host. */
const liveness: Port = (path, ageMs) => {
  const { pathname, searchParams } = new URL(path, "http://localhost");
  if (pathname === "/healthz") return ageMs <= healthyMs ? good : bad("HTTP probe failed with statuscode: 500");
  if (pathname !== "/redirect") return good;
  const to = searchParams.get("loc") ?? "";
  if (to.startsWith("/")) return liveness(to, ageMs);
  return { isGood: true, message: `Probe terminated redirects, Response body: <a href="${to}">Found</a>.\n\n` };
};

/** Ports of `agnhost` subcommands. Subcommands that are not listed respond to everything. */
const agnhostPorts: Readonly<Record<string, Readonly<Record<number, Port>>>> = {
  liveness: { 8080: liveness },
  "test-webserver": { 80: asksNothing },
  "grpc-health-checking": { 5000: asksNothing, 8080: asksNothing },
  pause: {},
};

/** Returns a network probe's result for a simulated container. A shell has no listeners; probes of unknown images succeed. */
export function serverResult(container: Container, { httpGet, tcpSocket, grpc }: Probe, ageMs: number): ProbeResult {
  const ports = portsOf(container);
  if (!ports) return good;
  const number = portNumber(container, httpGet?.port ?? tcpSocket?.port ?? grpc?.port ?? 0);
  const port = ports[number];
  if (port) return httpGet ? port(httpGet.path ?? "/", ageMs) : good;
  const refused = `dial tcp :${number}: connect: connection refused`;
  if (httpGet) return bad(`Get "http://:${number}${httpGet.path ?? "/"}": ${refused}`);
  return bad(tcpSocket ? refused : `timeout: failed to connect service ":${number}" within 1s`);
}

function portsOf({ command = [], args = [], image = "" }: Container): Readonly<Record<number, Port>> | undefined {
  const words = [...command, ...args];
  if (baseName(image) === "agnhost") {
    const subcommand = (words[0] ?? "").endsWith("agnhost") ? words[1] : words[0];
    if (subcommand !== undefined && Object.hasOwn(agnhostPorts, subcommand)) return agnhostPorts[subcommand];
  }
  return simulatedRun(words) ? {} : undefined;
}

const portNumber = ({ ports = [] }: Container, port: number | string): number =>
  typeof port === "number" ? port : (ports.find(({ name }) => name === port)?.containerPort ?? Number(port));
