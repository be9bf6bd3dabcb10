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
  // An inline script chooses each page's color scheme before the page is drawn.
  "content-security-policy":
    "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
} as const;

/** A running documentation server. */
export interface SiteServer extends AsyncDisposable {
  /** Base URL, such as `http://127.0.0.1:8091`. */
  readonly url: string;
}

/**
 * Serves the files in a folder on loopback, with `a/b.html` at `/a/b`. Rejects requests whose `Host` header is not a
 * loopback name, to protect against DNS rebinding.
 *
 * @param port port on loopback; 0 picks a free one
 * @throws {Error} if the port cannot be used
 */
export async function serveSite(folder: string, port: number): Promise<SiteServer> {
  const server = createServer((request, response) => {
    answer(folder, request, response).catch(() => response.destroy()); // the file exists but is not readable
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
    return text(403, "only http://127.0.0.1 and http://localhost are served");
  if (request.method !== "GET" && request.method !== "HEAD") return text(405, "only GET and HEAD are allowed");
  const path = pathOf(request.url ?? "/");
  if (path === undefined) return text(400, "not a valid path");
  for (const name of path.endsWith("/") ? [`${path}index.html`] : [path, `${path}.html`]) {
    const body = await contentOf(join(folder, name));
    if (body) return send(200, types[extname(name)] ?? "application/octet-stream", body);
  }
  send(404, "text/html; charset=utf-8", (await contentOf(join(folder, "404.html"))) ?? "not found");
}

/** Returns the path within the folder, or undefined if it is not valid or would leave the folder. */
function pathOf(url: string): string | undefined {
  try {
    const path = decodeURIComponent(url.split(/[?#]/, 1)[0] ?? "/");
    return !path.startsWith("/") || /(?:^|[/\\])\.\.(?:[/\\]|$)|\0/.test(path) ? undefined : path;
  } catch {
    return undefined; // not valid percent-encoding
  }
}

/** Returns the content of a file, or undefined if it does not exist. */
async function contentOf(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "EISDIR" || code === "ENOTDIR" || code === "ENAMETOOLONG") return undefined;
    throw error;
  }
}
