import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { systemClock, untilAborted } from "@kubewright/clock";
import { standInHeader } from "../kube-apiserver/etcd-stand-in.ts";
import type { Io } from "../process/io.ts";

const etcdVersion = "3.6.8";
const defaultUrls = "http://localhost:2379";

export const etcdHelp = `Usage:

  etcd [flags]
    Start the stand-in for etcd.

  etcd --version
    Show the version.

  etcd -h | --help
    Show this help.

Flags:
  --listen-client-urls '${defaultUrls}'
    Addresses to listen on, separated by commas.

All other flags are accepted, but have no effect.
`;

/**
 * Runs the stand-in for etcd until the signal aborts. The stand-in reports that it is healthy but stores nothing: the
 * stand-in for kube-apiserver recognizes it and uses its own storage instead.
 *
 * @returns the exit code
 */
export async function runEtcd(argv: readonly string[], io: Io, signal: AbortSignal): Promise<number> {
  if (argv.some((each) => /^--?h(elp)?$/.test(each))) {
    io.out(etcdHelp);
    return 0;
  }
  if (argv.some((each) => /^--?version(=true)?$/.test(each))) {
    io.out(versionText);
    return 0;
  }
  try {
    await serve(urlsIn(argv), io, signal);
    return 0;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    io.err(logLine("fatal", "etcdmain/etcd.go:183", "discovery failed", { error: message }));
    return 1;
  }
}

const versionText = `etcd Version: ${etcdVersion}
Git SHA: kubewright
Go Version: none
Go OS/Arch: ${process.platform}/${process.arch}
`;

/** Returns the addresses in the last `--listen-client-urls`. As in Go programs, the value may follow a `=` or be the next argument. */
function urlsIn(argv: readonly string[]): URL[] {
  const at = argv.findLastIndex((each) => /^--?listen-client-urls(=|$)/.test(each));
  const text = argv[at]?.includes("=") ? argv[at].replace(/^[^=]*=/, "") : (argv[at + 1] ?? "");
  return (at < 0 ? defaultUrls : text).split(",").map((each) => {
    const url = URL.canParse(each) ? new URL(each) : undefined;
    if (url?.protocol !== "http:") throw new Error(`--listen-client-urls: "${each}" is not an http URL`);
    return url;
  });
}

async function serve(urls: readonly URL[], io: Io, signal: AbortSignal): Promise<void> {
  const servers = await Promise.all(urls.map(listen));
  const served = "serving client traffic insecurely; this is strongly discouraged!";
  for (const { host } of urls)
    io.err(logLine("info", "embed/serve.go:210", served, { traffic: "http", address: host }));
  await untilAborted(signal);
  await Promise.all(
    servers.map((server) => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      return closed;
    }),
  );
}

function listen(url: URL): Promise<Server> {
  const server = createServer(answer);
  const { promise, resolve, reject } = Promise.withResolvers<Server>();
  server.once("error", (error: NodeJS.ErrnoException) =>
    reject(error.code === "EADDRINUSE" ? new Error(`listen tcp ${url.host}: bind: address already in use`) : error),
  );
  server.listen({ host: url.hostname.replace(/^\[|\]$/g, ""), port: Number(url.port) }, () => resolve(server));
  return promise;
}

const pages: Readonly<Record<string, readonly [type: string, body: string]>> = {
  "/health": ["text/plain; charset=utf-8", '{"health":"true","reason":""}'],
  "/livez": ["text/plain; charset=utf-8", "ok\n"],
  "/metrics": ["text/plain; version=0.0.4; charset=utf-8", ""],
  "/readyz": ["text/plain; charset=utf-8", "ok\n"],
  "/version": ["application/json", JSON.stringify({ etcdserver: etcdVersion, etcdcluster: "3.6.0", storage: "3.6.0" })],
};

function answer(request: IncomingMessage, response: ServerResponse): void {
  const page = pages[(request.url ?? "").split("?", 1)[0] ?? ""];
  const [type, body] = page ?? ["text/plain; charset=utf-8", "404 page not found\n"];
  response.writeHead(page ? 200 : 404, { "content-type": type, [standInHeader]: "etcd" }).end(body);
}

function logLine(level: string, caller: string, msg: string, fields: Readonly<Record<string, string>>): string {
  return `${JSON.stringify({ level, ts: new Date(systemClock.now()).toISOString(), caller, msg, ...fields })}\n`;
}
