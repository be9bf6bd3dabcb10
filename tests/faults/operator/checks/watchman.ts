import type { Clock } from "@kubewright/clock";
import type { ApiCall } from "../cluster/api-call.ts";
import { customResources, events, leases, secrets } from "../cluster/api-resource.ts";
import type { Cluster } from "../cluster/cluster.ts";
import type { StoredObject } from "../cluster/stored-object.ts";
import { holdsKey } from "../users/keys.ts";

/** Annotations that the operator may set on objects that are not its own. */
const ownAnnotations: ReadonlySet<string> = new Set([
  "kubewright.dev/applied-purpose",
  "kubewright.dev/sent-certificates",
  "kubewright.dev/applied-secrets",
  "sdewan.akraino.org/release", // only removed
]);
const composites: ReadonlySet<string> = new Set(["CNFService", "CNFLocalService", "CNFHubSite"]);
/** Beginning of the names of the operator's own Secrets. */
const ownSecret = "sdewan-confirmed-";
const mostProblems = 20;

/** Watches all actions of the operator, and reports forbidden ones. */
export class Watchman {
  readonly problems: string[] = [];
  /** Calls of the API server by minute of virtual time. */
  readonly byMinute = new Map<number, number>();
  /** Writes other than those of Leases, Events and CNFStatus. */
  writes = 0;
  lastLines: string[] = [];
  readonly #store: Cluster;
  readonly #clock: Clock;

  constructor(store: Cluster, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  note(problem: string): void {
    if (this.problems.length < mostProblems && !this.problems.includes(problem)) this.problems.push(problem);
  }

  readonly logged = (line: string): void => {
    if (holdsKey(line)) this.note(`a key is in the log: ${line.slice(0, 2_000)}`);
    const isMistake = /"type":"(TypeError|ReferenceError|RangeError)"/.test(line);
    if (isMistake) this.note(`a programming error is in the log: ${line.slice(0, 2_000)}`);
  };

  readonly called = (call: ApiCall, body: unknown): void => {
    const minute = Math.floor(this.#clock.monotonic() / 60_000);
    this.byMinute.set(minute, (this.byMinute.get(minute) ?? 0) + 1);
    if (call.method === "GET") return;
    const { resource, method, part, name } = call;
    const what = `${method} ${resource.plural}/${name}${part === "status" ? "/status" : ""} ${JSON.stringify(body)}`;
    if (holdsKey(what)) this.note(`a key is in ${what}`);
    if (resource === leases || resource === events || resource.kind === "CNFStatus") return;
    if (resource === secrets && (method === "POST" ? nameIn(body) : name).startsWith(ownSecret)) return;
    this.writes++;
    if (!customResources.includes(resource)) this.note(`the operator must not send ${what}`);
    else if (part === "object" && !this.#mayWrite(call, body))
      this.note(`an object of somebody else is written: ${what}`);
  };

  /** Children belong to the operator; of other objects it may change its finalizer and its annotations. */
  #mayWrite({ resource, method, namespace, name }: ApiCall, body: unknown): boolean {
    if (method === "POST") return isChild(body as StoredObject);
    const object = this.#store.find(resource, { namespace, name });
    return !object || isChild(object) || (method === "PATCH" && isUpkeep(body));
  }

  /** Called when a process ended on its own. */
  ended(error: unknown): void {
    const text = String(error instanceof Error ? `${error.message} ${String(error.cause ?? "")}` : error);
    if (holdsKey(text)) this.note(`a key is in the error that ended a process: ${text}`);
    if (!/lease|leader/i.test(text)) this.note(`a process ended: ${text}`);
  }
}

const nameIn = (body: unknown): string => (body as StoredObject).metadata.name;

/** Reports whether a composite controls an object. */
export const isChild = ({ metadata }: StoredObject): boolean =>
  metadata.ownerReferences?.some(({ controller, kind }) => controller && composites.has(kind)) ?? false;

/** Reports whether a patch changes only the operator's finalizers and annotations. */
function isUpkeep(body: unknown): boolean {
  if (typeof body !== "object" || body === null || Object.keys(body).some((key) => key !== "metadata")) return false;
  const { metadata } = body as { readonly metadata?: Readonly<Record<string, unknown>> };
  const { finalizers: _finalizers, annotations = {}, resourceVersion: _version, ...others } = metadata ?? {};
  const notes = Object.keys(annotations ?? {});
  return Object.keys(others).length === 0 && notes.every((key) => ownAnnotations.has(key));
}
