import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { extname, join } from "node:path";

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
};

const headers = {
  "cache-control": "no-cache",
  // The pages' own scripts say how they look before they are drawn, in line.
  "content-security-policy":
    "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
} as const;

/** A site that is being served. */
export interface SiteServer extends AsyncDisposable {
  /** Such as `http://127.0.0.1:8091`. */
  readonly url: string;
}

/**
 * Serves the files of a folder on loopback, to nobody else: requests for another `Host` are refused, as those of a page elsewhere whose name
 * was made to lead here. `/a/b` is `a/b.html`.
 *
 * @param port 0: a free one
 * @throws {Error} if the port cannot be listened on
 */
export async function serveSite(folder: string, port: number): Promise<SiteServer> {
  const server = createServer((request, response) => {
    answer(folder, request, response).catch(() => response.destroy()); // a file that is there and cannot be read
  });
  server.requestTimeout = 10_000;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject).listen(port, "127.0.0.1", resolve);
  await promise;
  const address = server.address();
  const bound = typeof address === "object" && address ? address.port : port;
  return {
    url: `http://127.0.0.1:${bound}`,
    async [Symbol.asyncDispose]() {
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      server.closeAllConnections();
      await closed.promise;
    },
  };
}

async function answer(folder: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const send = (status: number, type: string, body: Buffer | string): void => {
    response.writeHead(status, { ...headers, "content-type": type, "content-length": Buffer.byteLength(body) });
    response.end(request.method === "HEAD" ? undefined : body);
  };
  const text = (status: number, words: string): void => send(status, "text/plain; charset=utf-8", `${words}\n`);
  if (!/^(?:127\.0\.0\.1|localhost)(?::[0-9]+)?$/.test(request.headers.host ?? ""))
    return text(403, "this is served to 127.0.0.1 and localhost alone");
  if (request.method !== "GET" && request.method !== "HEAD") return text(405, "only GET and HEAD");
  const path = pathOf(request.url ?? "/");
  if (path === undefined) return text(400, "no such path");
  for (const name of path.endsWith("/") ? [`${path}index.html`] : [path, `${path}.html`]) {
    const body = await contentOf(join(folder, name));
    if (body) return send(200, types[extname(name)] ?? "application/octet-stream", body);
  }
  send(404, "text/html; charset=utf-8", (await contentOf(join(folder, "404.html"))) ?? "not found");
}

/** The path within the folder; undefined where it is none, or would lead out. */
function pathOf(url: string): string | undefined {
  try {
    const path = decodeURIComponent(url.split(/[?#]/, 1)[0] ?? "/");
    return !path.startsWith("/") || /(?:^|[/\\])\.\.(?:[/\\]|$)|\0/.test(path) ? undefined : path;
  } catch {
    return undefined; // no encoding of anything
  }
}

/** What a file holds; undefined where there is none. */
async function contentOf(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "EISDIR" || code === "ENOTDIR" || code === "ENAMETOOLONG") return undefined;
    throw error;
  }
}
