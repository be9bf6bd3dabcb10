import { connect } from "node:net";

export interface RawRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: readonly (readonly [string, string])[];
  /** Body of the request. If it is `null`, neither a body nor a `Content-Length` header is sent. */
  readonly body?: string | null;
  readonly framing?: "chunked";
}

export interface RawResponse {
  readonly status: number;
  readonly reason: string;
  /** Headers of the response, with lower-case names. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

/** Sends a request byte for byte on a separate connection, and returns the response. For tests. */
export function exchange(port: number, request: RawRequest): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, "127.0.0.1", () => socket.write(asBytes(request)));
    socket.on("data", (chunk: Buffer) => chunks.push(chunk));
    socket.on("error", reject);
    socket.on("close", () => resolve(parse(Buffer.concat(chunks))));
  });
}

function asBytes({ method, path, headers = [], body = null, framing }: RawRequest): Buffer {
  const content = Buffer.from(body ?? "", "utf8");
  const lines = [`${method} ${path} HTTP/1.1`, "Host: cnf", "Connection: close"];
  for (const [name, value] of headers) lines.push(`${name}: ${value}`);
  if (framing === "chunked") lines.push("Transfer-Encoding: chunked");
  else if (body !== null) lines.push(`Content-Length: ${content.length}`);
  const head = Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "utf8");
  if (framing !== "chunked") return Buffer.concat([head, content]);
  return Buffer.concat([
    head,
    Buffer.from(`${content.length.toString(16)}\r\n`),
    content,
    Buffer.from("\r\n0\r\n\r\n"),
  ]);
}

function parse(bytes: Buffer): RawResponse {
  const end = bytes.indexOf("\r\n\r\n");
  const [statusLine = "", ...lines] = bytes.subarray(0, end).toString("latin1").split("\r\n");
  const [, status, reason = ""] = /^HTTP\/1\.1 (\d+) ?(.*)$/.exec(statusLine) ?? [];
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return { status: Number(status), reason, headers: new Map(headers), body: bytes.subarray(end + 4) };
}

/**
 * Returns the JSON documents that a body contains one after another, or the body itself if it contains none. The order of keys is not
 * preserved.
 */
export function documents(body: string): unknown {
  const found: unknown[] = [];
  for (let rest = body.trim(); rest !== ""; ) {
    const end = endOfFirstValue(rest);
    try {
      found.push(JSON.parse(rest.slice(0, end)));
    } catch {
      return body;
    }
    rest = rest.slice(end).trim();
  }
  return found;
}

function endOfFirstValue(text: string): number {
  let depth = 0;
  for (const token of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]]/g)) {
    if (/^[{[]/.test(token[0])) depth++;
    if (/^[}\]]/.test(token[0]) && --depth === 0) return token.index + 1;
  }
  return text.length;
}
