import { readFileSync } from "node:fs";
import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { isIP } from "node:net";
import { quote } from "@kubewright/apimachinery";
import { systemClock, untilAborted } from "@kubewright/clock";
import { FlagError } from "../flags/flag-error.ts";
import type { FlagValues } from "../flags/flag-values.ts";
import { parseGoFlags } from "../flags/parse-go-flags.ts";
import { standInHeader } from "../kube-apiserver/etcd-stand-in.ts";
import type { Io } from "../process/io.ts";
import { etcdFlags } from "./flag-table.ts";
import { etcdHelp, etcdUsage } from "./help.ts";

const etcdVersion = "3.6.8";

/**
 * Runs the stand-in for etcd, which only reports that it is healthy until the signal aborts. It stores nothing: the stand-in for
 * kube-apiserver recognizes it and uses its own storage.
 *
 * @returns the exit code
 */
export async function runEtcd(argv: readonly string[], io: Io, signal: AbortSignal): Promise<number> {
  let values: FlagValues;
  try {
    if (argv.some((each) => /^--?h(elp)?$/.test(each))) {
      io.out(etcdHelp());
      return 0;
    }
    const parsed = parseGoFlags(etcdFlags, argv);
    values = parsed.values;
    if (values.boolean("version")) {
      io.out(versionText());
      return 0;
    }
    const [stray] = parsed.args;
    if (stray !== undefined) throw new Error(`${quote(stray)} is not a valid flag`);
    checkOptions(values);
  } catch (error) {
    if (error instanceof FlagError) {
      io.err(`${error.message}\n${etcdUsage}`);
      return 2;
    }
    io.err(logLine("warn", "etcdmain/etcd.go:66", "failed to verify flags", { error: messageOf(error) }));
    return 1;
  }
  try {
    await serve(values, io, signal);
    return 0;
  } catch (error) {
    io.err(logLine("fatal", "etcdmain/etcd.go:183", "discovery failed", { error: messageOf(error) }));
    return 1;
  }
}

function versionText(): string {
  const lines = [`etcd Version: ${etcdVersion}`, "Git SHA: kubewright", "Go Version: none"];
  return `${[...lines, `Go OS/Arch: ${process.platform}/${process.arch}`].join("\n")}\n`;
}

function checkOptions(values: FlagValues): void {
  for (const url of values.list("listen-client-urls")) {
    const host = URL.canParse(url) ? new URL(url).hostname.replace(/^\[|\]$/g, "") : "";
    if (url.startsWith("http") && host !== "localhost" && isIP(host) === 0)
      throw new Error(`expected IP in URL for binding (${url})`);
  }
  if (values.has("listen-client-urls") && values.text("advertise-client-urls") === "")
    throw new Error("--advertise-client-urls is required when --listen-client-urls is set explicitly");
  if (values.has("listen-client-urls") && !values.has("advertise-client-urls"))
    throw new Error("--advertise-client-urls is required when --listen-client-urls is set explicitly");
}

async function serve(values: FlagValues, io: Io, signal: AbortSignal): Promise<void> {
  const urls = [
    ...values.list("listen-client-urls"),
    ...values.list("listen-client-http-urls"),
    ...values.list("listen-metrics-urls"),
  ];
  const servers = await Promise.all(urls.map((url) => listen(new URL(url), values)));
  for (const url of urls)
    io.err(
      logLine("info", "embed/serve.go:210", "serving client traffic insecurely; this is strongly discouraged!", {
        traffic: "http",
        address: new URL(url).host,
      }),
    );
  await untilAborted(signal);
  await Promise.all(
    servers.map((server) => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      return closed;
    }),
  );
}

function listen(url: URL, values: FlagValues): Promise<Server> {
  const server =
    url.protocol === "https:"
      ? createHttpsServer(
          { cert: readFileSync(values.text("cert-file")), key: readFileSync(values.text("key-file")) },
          answer,
        )
      : createHttpServer(answer);
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

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
