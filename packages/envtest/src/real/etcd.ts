import { request as httpRequest } from "node:http";
import { buffer } from "node:stream/consumers";

/** Key in which a kube-apiserver stores the compacted revision. Other servers then drop older history. */
const compactedKey = "compact_rev_key";

/**
 * Compacts etcd's history through its JSON gateway, as kube-apiserver does every five minutes.
 *
 * @see apiserver pkg/storage/etcd3/compact.go
 */
export async function compactEtcd(port: number): Promise<void> {
  const key = base64(compactedKey);
  const { header } = await call<{ header: { revision: string } }>(port, "/v3/kv/put", { key, value: base64("0") });
  await call(port, "/v3/kv/put", { key, value: base64(header.revision) });
  await call(port, "/v3/kv/compaction", { revision: header.revision, physical: true });
}

async function call<T>(port: number, path: string, body: object): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>();
  const request = httpRequest({ host: "127.0.0.1", port, path, method: "POST" });
  request.on("error", reject);
  request.on("response", (response) => {
    buffer(response).then((bytes) => resolve({ status: response.statusCode ?? 0, text: bytes.toString() }), reject);
  });
  request.end(JSON.stringify(body));
  const { status, text } = await promise;
  if (status !== 200) throw new Error(`etcd returned ${status} for ${path}: ${text}`);
  return JSON.parse(text);
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");
