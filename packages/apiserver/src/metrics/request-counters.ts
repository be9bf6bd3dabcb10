import type { ApiRequest } from "../endpoints/request/api-request.ts";

/**
 * Counts values in buckets. A value belongs to the first bucket whose bound is equal to or greater than the value. An
 * additional bucket counts values above all bounds.
 */
export class Distribution {
  readonly bounds: readonly number[];
  readonly counts: number[];
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = new Array<number>(bounds.length + 1).fill(0);
  }

  observe(value: number): void {
    let bucket = 0;
    while (bucket < this.bounds.length && value > (this.bounds[bucket] ?? 0)) bucket++;
    this.counts[bucket] = (this.counts[bucket] ?? 0) + 1;
    this.sum += value;
  }
}

/** Counters for all requests with the same verb, resource and scope. */
export interface RequestShape {
  readonly labels: Readonly<Record<ShapeLabel, string>>;
  readonly seconds: Distribution;
  /** Response sizes of read requests. */
  readonly bytes: Distribution | undefined;
  readonly byCode: Map<number, number>;
  /** Number of watches in progress. */
  running: number;
  readonly isLongRunning: boolean;
}

export const shapeLabels = [
  "verb",
  "dry_run",
  "group",
  "version",
  "resource",
  "subresource",
  "scope",
  "component",
] as const;
/** Name of a label by which requests are counted. */
export type ShapeLabel = (typeof shapeLabels)[number];

const secondBounds = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
];
const byteBounds = [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];

/** Counts requests in plain numbers, so that counting costs almost nothing if nobody reads the metrics. */
export class RequestCounters {
  readonly shapes = new Map<string, RequestShape>();
  readonly inFlight = { mutating: 0, readOnly: 0 };

  received(request: ApiRequest): void {
    this.#inService(request, 1);
  }

  /** Counts a completed request. Must be called when the response has been written or the client has disconnected. */
  completed(request: ApiRequest, nowMs: number): void {
    this.#inService(request, -1);
    const { headersSent, statusCode } = request.response;
    if (!headersSent) return;
    const shape = this.#shape(request);
    shape.byCode.set(statusCode, (shape.byCode.get(statusCode) ?? 0) + 1);
    shape.seconds.observe((nowMs - request.receivedMs) / 1_000);
    const bytes = request.responseBytes ?? request.responseBody?.length;
    if (bytes !== undefined) shape.bytes?.observe(bytes);
  }

  #inService(request: ApiRequest, change: 1 | -1): void {
    if (request.isLongRunning) this.#shape(request).running += change;
    else this.inFlight[isRead(request.method) ? "readOnly" : "mutating"] += change;
  }

  #shape(request: ApiRequest): RequestShape {
    const { info, query } = request;
    const verb = verbOf(request);
    const dryRun = query.get("dryRun") ?? "";
    const { group, version, resource } = info.isResourceRequest ? info : nothing;
    const subresource = info.isResourceRequest ? info.subresource : pathGroup(info.path);
    const scope = !info.isResourceRequest ? "" : info.name ? "resource" : info.namespace ? "namespace" : "cluster";
    const key = `${verb}|${group}|${version}|${resource}|${subresource}|${scope}|${dryRun}`;
    let shape = this.shapes.get(key);
    if (!shape) {
      shape = {
        labels: { verb, dry_run: dryRun, group, version, resource, subresource, scope, component: "apiserver" },
        byCode: new Map(),
        seconds: new Distribution(secondBounds),
        bytes: isRead(request.method) ? new Distribution(byteBounds) : undefined,
        running: 0,
        isLongRunning: request.isLongRunning,
      };
      if (this.shapes.size < maxShapes) this.shapes.set(key, shape);
    }
    return shape;
  }
}

/** Maximum number of shapes. Requests for nonexistent resources create shapes as well, and must not fill the memory. */
const maxShapes = 5_000;
const nothing = { group: "", version: "", resource: "" };
const isRead = (method: string): boolean => method === "GET" || method === "HEAD";

/** Returns the label for a non-resource path: its first segment if the server itself serves the path, and otherwise `other`. */
function pathGroup(path: string): string {
  const first = path.split("/")[1] ?? "";
  if (first === "openapi") return path.startsWith("/openapi/v3") ? "openapi/v3" : "openapi/v2";
  return ownPaths.has(first) ? first : "other";
}

const ownPaths = new Set(["api", "apis", "version", "healthz", "livez", "readyz", "metrics", "openid", ".well-known"]);
const httpVerbs: Readonly<Record<string, string>> = { create: "POST", update: "PUT" };

const knownVerbs = new Set(["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"]);

function verbOf({ info, method }: ApiRequest): string {
  if (info.isResourceRequest && knownVerbs.has(info.verb)) return httpVerbs[info.verb] ?? info.verb.toUpperCase();
  return ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"].includes(method) ? method : "other";
}
