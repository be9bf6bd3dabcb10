import { isRecord, parseJson, type Unstructured } from "@kubewright/apimachinery";
import { freezeTree, type StoredObject } from "@kubewright/storage";
import { PlanError } from "./plan-report.ts";

/** A response from the live cluster. */
export interface LiveResponse {
  readonly status: number;
  readonly body: Uint8Array;
}

/** The live cluster. A plan sends no other requests to it. */
export interface LiveCluster {
  /**
   * Sends a GET request.
   *
   * @param maxBytes maximum size of the response; undefined is returned for a larger one
   * @throws {Error} if the cluster cannot be reached
   */
  read(path: string, maxBytes: number): Promise<LiveResponse | undefined>;
  /** Sends a write with `dryRun=All`. Absent if objects are not confirmed. */
  dryRun?(method: "POST" | "PUT" | "DELETE", path: string, body?: object): Promise<LiveResponse>;
}

/** A resource in the live cluster, and the version in which it is copied. */
export interface CopiedResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly kind: string;
  readonly isNamespaced: boolean;
}

/** Objects to add to the storage. */
export interface CopiedObjects {
  readonly resourceVersion: number;
  readonly objects: readonly (readonly [key: string, object: StoredObject])[];
}

const pageSize = 500;
/** Maximum size of a discovery document. */
const maxDocumentBytes = 16 << 20;
/**
 * Host name to which copied webhooks and conversions are redirected. Names that end in `.invalid` never resolve.
 *
 * @see RFC 2606
 */
export const admissionHost = "live-admission.plan.invalid";
export const conversionHost = "live-conversion.plan.invalid";

/** Storage prefix of CustomResourceDefinitions. */
export const definitionsPrefix = "/apiextensions.k8s.io/customresourcedefinitions/";

/** Groups and resources that the copy has itself: they concern the API server, or only report what happened. */
const isOwn = (group: string, resource: string): boolean =>
  ["flowcontrol.apiserver.k8s.io", "apiregistration.k8s.io", "internal.apiserver.k8s.io", "events.k8s.io"].includes(
    group,
  ) || ["events", "leases", "componentstatuses"].includes(resource);

/**
 * Copies a live cluster's objects, kind by kind, when they are first needed. All kinds are copied at the resource
 * version at which the first kind was copied. If the cluster no longer has a kind's objects at this version, the newest
 * version is copied instead, and the kind is listed in {@link mixed}.
 */
export class LiveCopy {
  readonly #live: LiveCluster;
  readonly #outside: <T>(work: () => Promise<T>) => Promise<T>;
  readonly #maxBytes: number;
  #bytes = 0;
  /** Copies are made one after the other, so that they share a revision and a limit. */
  #last: Promise<unknown> = Promise.resolve();
  readonly #documents = new Map<string, Promise<unknown>>();
  readonly #resources = new Map<string, CopiedResource>();
  /** The objects as copied, keyed by storage key. */
  readonly base: Map<string, StoredObject> = new Map();
  /**
   * The cluster's messages for resources that you may not list, keyed by resource, such as `sites.shop.example.com`.
   */
  readonly denied: Map<string, string> = new Map();
  /** Resources that were copied at a different version, with this version. */
  readonly mixed: Map<string, string> = new Map();
  /** Resource version at which the cluster is copied. Empty before the first copy. */
  revision = "";
  /** The error that prevented a copy. */
  failure: PlanError | undefined;
  /** Returns the versions in which the copy serves a group, the preferred one first. */
  versionsOf: (group: string) => Promise<readonly string[]> = async () => ["v1"];

  /**
   * @param outside runs work that takes real time
   * @param maxBytes maximum total size of the responses from which objects are copied
   */
  constructor(live: LiveCluster, outside: <T>(work: () => Promise<T>) => Promise<T>, maxBytes: number) {
    this.#live = live;
    this.#outside = outside;
    this.#maxBytes = maxBytes;
  }

  /** The resources that were copied, keyed by their storage prefixes. */
  get resources(): ReadonlyMap<string, CopiedResource> {
    return this.#resources;
  }

  /**
   * Reads a document from the live cluster, or undefined if it does not exist or the cluster does not permit access to
   * it.
   */
  async document(path: string): Promise<Readonly<Record<string, unknown>> | undefined> {
    const reading = this.#documents.get(path) ?? this.#read(path, maxDocumentBytes);
    this.#documents.set(path, reading);
    const response = (await reading) as LiveResponse | undefined; // as read above
    const body = response?.status === 200 ? jsonOf(response) : undefined;
    return isRecord(body) ? body : undefined;
  }

  /**
   * Copies a resource's objects, in all namespaces or in one.
   *
   * @param prefix storage prefix of the resource, such as `/apps/deployments/`
   * @returns undefined if the cluster does not permit this; see {@link denied}
   * @throws {PlanError} if the cluster cannot be read or is too large
   */
  async copy(prefix: string, namespace?: string): Promise<CopiedObjects | undefined> {
    const next = this.#last.then(() => this.#copy(prefix, namespace));
    this.#last = next.catch(() => {});
    try {
      return await next;
    } catch (error) {
      this.failure ??=
        error instanceof PlanError
          ? error
          : new PlanError("cluster", `cannot copy ${prefix.slice(1, -1)}: ${messageOf(error)}`, { cause: error });
      throw this.failure;
    }
  }

  async #copy(prefix: string, namespace: string | undefined): Promise<CopiedObjects | undefined> {
    const [, first = "", resource = ""] = prefix.split("/");
    const group = first === "core" ? "" : first;
    const none = { resourceVersion: 0, objects: [] };
    if (isOwn(group, resource)) return none;
    const found = await this.#resourceOf(group, resource);
    if (!found) return none; // the live cluster does not have the resource
    this.#resources.set(prefix, found);
    const { version, kind, isNamespaced } = found;
    if (namespace !== undefined && !isNamespaced) return none;
    const base = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
    const place = `${base}${namespace === undefined ? "" : `/namespaces/${namespace}`}/${resource}`;
    const items = await this.#items(place, group === "" ? resource : `${resource}.${group}`);
    if (!items) return undefined;
    const apiVersion = group === "" ? version : `${group}/${version}`;
    const objects = items.map((item): readonly [string, StoredObject] => {
      const { metadata } = item;
      const key = `${prefix}${metadata.namespace === undefined ? "" : `${metadata.namespace}/`}${metadata.name}`;
      const { apiVersion: _, kind: __, ...rest } = item;
      const object = freezeTree(redirected({ apiVersion, kind, ...rest } as Unstructured));
      this.base.set(key, object);
      return [key, object];
    });
    return { resourceVersion: Number(this.revision), objects };
  }

  /** Lists objects page by page. @returns undefined if the cluster does not permit this */
  async #items(path: string, name: string): Promise<Unstructured[] | undefined> {
    const exact = this.revision === "" ? "" : `&resourceVersion=${this.revision}&resourceVersionMatch=Exact`;
    let query = `limit=${pageSize}${exact}`;
    const items: Unstructured[] = [];
    let isNewest = exact === "";
    for (;;) {
      const response = await this.#read(`${path}?${query}`, this.#maxBytes - this.#bytes);
      if (!response)
        throw new PlanError(
          "cluster",
          `the copy of the cluster exceeds ${this.#maxBytes >> 20} MiB with ${name}; plan fewer namespaces (the cache's option "namespaces"), or raise --max-copy`,
        );
      this.#bytes += response.body.byteLength;
      if (response.status === 410 && !(isNewest && items.length === 0)) {
        // The version has expired. A list without a version is always possible.
        isNewest = true;
        items.length = 0;
        query = `limit=${pageSize}`;
        continue;
      }
      const body = jsonOf(response);
      if (response.status === 404) return [];
      if (response.status === 403) {
        this.denied.set(name, messageIn(body));
        return undefined;
      }
      if (response.status !== 200 || !isRecord(body) || !isRecord(body.metadata))
        throw new PlanError("cluster", `cannot list ${name}: ${response.status} ${messageIn(body)}`);
      const { resourceVersion, continue: token } = body.metadata;
      items.push(...((body.items ?? []) as Unstructured[]));
      if (this.revision === "") this.revision = String(resourceVersion);
      if (resourceVersion !== this.revision) this.mixed.set(name, String(resourceVersion));
      if (typeof token !== "string" || token === "") return items;
      query = `limit=${pageSize}&continue=${encodeURIComponent(token)}`;
    }
  }

  /**
   * Returns a resource in the version in which the copy stores it, or undefined if the live cluster does not have it.
   */
  async #resourceOf(group: string, resource: string): Promise<CopiedResource | undefined> {
    const definition = this.base.get(`${definitionsPrefix}${resource}.${group}`);
    if (definition) return definedResource(definition);
    for (const version of await this.versionsOf(group)) {
      const document = await this.document(group === "" ? `/api/${version}` : `/apis/${group}/${version}`);
      const resources: readonly unknown[] = Array.isArray(document?.resources) ? document.resources : [];
      const found = resources.find((each) => isRecord(each) && each.name === resource);
      if (isRecord(found))
        return { group, version, resource, kind: String(found.kind), isNamespaced: found.namespaced === true };
    }
    return undefined;
  }

  #read(path: string, maxBytes: number): Promise<LiveResponse | undefined> {
    return this.#outside(() => this.#live.read(path, maxBytes));
  }
}

/** Returns the resource of a CRD, in the version in which it is stored, or in a served one. */
function definedResource(definition: StoredObject): CopiedResource | undefined {
  const { spec } = definition;
  if (!isRecord(spec) || !isRecord(spec.names) || !Array.isArray(spec.versions)) return undefined;
  const served = spec.versions.filter(isRecord).filter((version) => version.served === true);
  const { name: version } = served.find(({ storage }) => storage === true) ?? served[0] ?? {};
  if (version === undefined) return undefined;
  const { kind, plural } = spec.names;
  return {
    group: String(spec.group),
    version: String(version),
    resource: String(plural),
    kind: String(kind),
    isNamespaced: spec.scope === "Namespaced",
  };
}

/** Redirects webhooks and conversions of the live cluster, because the copy must not call them. */
function redirected(object: Unstructured): Unstructured {
  if (object.kind === "CustomResourceDefinition" && isRecord(object.spec)) {
    const { conversion } = object.spec;
    if (!isRecord(conversion) || conversion.strategy !== "Webhook") return object;
    const url = `https://${conversionHost}/${object.metadata.name}`;
    const { webhook } = conversion;
    const changed = { ...conversion, webhook: { ...(isRecord(webhook) ? webhook : {}), clientConfig: { url } } };
    return { ...object, spec: { ...object.spec, conversion: changed } };
  }
  const isWebhooks = /^(Mutating|Validating)WebhookConfiguration$/.test(object.kind);
  if (!isWebhooks || !Array.isArray(object.webhooks)) return object;
  const webhooks = object.webhooks.filter(isRecord).map((webhook) => {
    const url = `https://${admissionHost}/${encodeURIComponent(String(webhook.name))}`;
    return { ...webhook, clientConfig: { url } };
  });
  return { ...object, webhooks };
}

export function jsonOf({ body }: LiveResponse): unknown {
  try {
    return parseJson(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString());
  } catch {
    return undefined;
  }
}

export const messageIn = (body: unknown): string =>
  isRecord(body) && typeof body.message === "string" ? body.message : "unexpected response";

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
