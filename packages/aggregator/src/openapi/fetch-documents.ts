import { createHash } from "node:crypto";
import { isRecord } from "@kubewright/apimachinery";
import type { Clock } from "@kubewright/clock";
import { isTooDeep } from "@kubewright/codec";
import type { ApiService } from "../service/api-service.ts";
import { boundedGet, type DocumentLimits } from "../transport/bounded-get.ts";
import type { ExtensionEnd } from "../transport/extension-end.ts";
import { type Swagger, swaggerOf } from "./swagger-part.ts";

const timeoutMs = 60_000;
const index: DocumentLimits = { maxBytes: 1024 * 1024, maxValues: 100_000 };
/** The OpenAPI v2 document of the embedded API server has 52,000 values. */
const swagger: DocumentLimits = { maxBytes: 16 * 1024 * 1024, maxValues: 1_000_000 };
const user = { name: "system:aggregator", groups: [] };

/** An extension server's OpenAPI documents for one version. */
export interface Documents {
  /** Locations of the OpenAPI v3 documents on this server, keyed by path. */
  readonly paths: ReadonlyMap<string, string>;
  /** The part of the OpenAPI v2 document that describes the version; `undefined` if the server has no such document. */
  readonly swagger: Swagger | undefined;
  /** A hash of the documents that the extension server sent. */
  readonly hash: string;
}

/**
 * Fetches an extension server's OpenAPI documents for one version.
 *
 * @param known previous result, which is returned again if nothing has changed
 *
 * @throws {Error} if the server is unreachable or its response is not a valid document
 * @see kube-aggregator pkg/controllers/openapi, openapiv3
 */
export async function fetchDocuments(
  end: ExtensionEnd,
  apiService: Pick<ApiService, "group" | "version">,
  {
    clock,
    signal,
    known,
  }: { readonly clock: Clock; readonly signal: AbortSignal; readonly known?: Documents | undefined },
): Promise<Documents> {
  const limits = { user, headers: { accept: "application/json" }, timeoutMs, clock, signal };
  const get = async (path: string, most: DocumentLimits): Promise<string> => {
    const { code, text } = await boundedGet(end, { path, ...most, ...limits });
    if (code !== 200 && code !== 404) throw new Error(`the extension server responded with status ${code} to ${path}`);
    return code === 404 ? "" : text;
  };
  const paths = await get("/openapi/v3", index);
  const document = await get("/openapi/v2", swagger);
  const hash = createHash("sha256").update(paths).update("\n").update(document).digest("hex");
  if (known?.hash === hash) return known;
  return {
    paths: pathsOf(parse(paths), apiService),
    swagger: document === "" ? undefined : swaggerOf(parse(document), apiService),
    hash,
  };
}

function parse(text: string): unknown {
  const document: unknown = text === "" ? undefined : JSON.parse(text);
  if (isTooDeep(document)) throw new Error("the extension server's document is nested too deeply");
  return document;
}

/**
 * Returns the documents of one version from the index. The index may contain any path and location, so only the version's own path is used,
 * with a location on this server.
 */
function pathsOf(index: unknown, { group, version }: Pick<ApiService, "group" | "version">): Map<string, string> {
  const { paths } = isRecord(index) ? index : {};
  const found = new Map<string, string>();
  if (!isRecord(paths)) return found;
  const name = `apis/${group}/${version}`;
  const entry = Object.hasOwn(paths, name) ? paths[name] : undefined;
  if (!isRecord(entry)) return found;
  const hash = /[?&]hash=([\w-]{1,256})$/.exec(String(entry.serverRelativeURL))?.[1];
  return found.set(name, `/openapi/v3/${name}${hash === undefined ? "" : `?hash=${hash}`}`);
}
