import {
  fieldError,
  fieldPath,
  isMetadataOnly,
  isPathSegmentName,
  type Kind,
  type KubeObject,
  splitKey,
  stringifyJson,
  toAggregateInvalid,
  withIntegersOf,
} from "@kubewright/apimachinery";
import type { ConnectionRequest } from "../connection/connection.ts";
import type { ApplyConfiguration, Creatable, NamedObject, Target, Writable } from "../contract/objects.ts";
import type {
  ApplyOptions,
  DeleteCollectionOptions,
  DeleteOptions,
  PatchOptions,
  PatchType,
  StatusWriter,
  SubResourceTypes,
  SubResourceWriter,
  WriteOptions,
  Writer,
} from "../contract/writer.ts";
import {
  described,
  type FencedCall,
  listQuery,
  type ObjectCall,
  type ObjectCalls,
  type WriteGate,
} from "./object-calls.ts";

/**
 * A write as requested by the caller. `object` is the target: the whole object, or as much of it as is known. Only
 * `deleteCollection` has no `object`.
 */
export type WriteCall =
  | {
      readonly verb: "create";
      readonly kind: Kind;
      readonly subResource?: undefined;
      /** Object to create. It has no name if the server generates one from `metadata.generateName`. */
      readonly object: Creatable<KubeObject>;
      readonly body?: undefined;
      readonly options: WriteOptions;
    }
  | {
      readonly verb: "update";
      readonly kind: Kind;
      /** `status` for a write through `client.status`. */
      readonly subResource?: "status" | undefined;
      readonly object: Writable<KubeObject>;
      readonly body?: undefined;
      readonly options: WriteOptions;
    }
  | {
      readonly verb: "apply";
      readonly kind: Kind;
      /** `status` for a write through `client.status`. */
      readonly subResource?: "status" | undefined;
      readonly object: ApplyConfiguration<KubeObject>;
      readonly body?: undefined;
      readonly options: ApplyOptions;
    }
  | {
      readonly verb: "patch";
      readonly kind: Kind;
      readonly subResource?: string | undefined;
      readonly object: NamedObject;
      /** The patch as sent. A patch through `client.status` includes the outer `status`: `{ status: ... }`. An array is a JSON patch. */
      readonly patch: object;
      readonly body?: undefined;
      readonly options: PatchOptions;
    }
  | {
      /** A write through `client.subResource(name)`. */
      readonly verb: "create" | "update";
      readonly kind: Kind;
      readonly subResource: string;
      readonly object: NamedObject;
      /** Body of the subresource, such as a Scale or an Eviction. */
      readonly body: object;
      readonly options: WriteOptions;
    }
  | {
      readonly verb: "delete";
      readonly kind: Kind;
      readonly subResource?: undefined;
      readonly object: NamedObject;
      readonly body?: undefined;
      readonly options: DeleteOptions;
    }
  | {
      readonly verb: "deleteCollection";
      readonly kind: Kind;
      readonly subResource?: undefined;
      readonly object?: undefined;
      readonly body?: undefined;
      readonly options: DeleteCollectionOptions;
    };

/**
 * Wraps every write by a client. `next` performs the write and accepts a modified call. An interceptor may call it any number of times, or
 * not at all. `Result` is the result type that the caller expects: the stored object, the subresource's body, or `undefined` for a
 * deletion.
 *
 * @see controller-runtime pkg/client/interceptor Funcs
 */
export type WriteInterceptor = <Result>(call: WriteCall, next: (call: WriteCall) => Promise<Result>) => Promise<Result>;

/** Allows a client's writes only under a condition, such as leadership. Reads are not affected. */
export interface Fence {
  /**
   * Throws if writes are currently not allowed. Called when a write begins, and again right before each attempt is written to its socket,
   * so it must be fast.
   */
  check(): void;
  /** Aborts when writes are no longer allowed. Waiting writes and writes in progress are then cancelled. */
  readonly signal: AbortSignal;
  /** Returns the error for a write that was not allowed. `cause` is the error of `check` or the signal's reason. */
  refused(write: RefusedWrite, cause: unknown): Error;
  /** Called when the caller cancelled a write after it was sent. The server may still process it. Default: none. */
  readonly abandoned?: (() => void) | undefined;
}

/** A write that a {@link Fence} rejected or cancelled. */
export interface RefusedWrite {
  /** Description of the write for messages, such as `update Pod web/shop-0`. */
  readonly what: string;
  /** True if the server may have processed the write, because the write was cancelled while it was in progress. */
  readonly wasSent: boolean;
}

/** Defaults for a client's calls. */
export interface ClientDefaults {
  /** Owner of the written fields. By default, the server derives it from the user agent. `apply` requires an owner. */
  readonly fieldOwner?: string | undefined;
  /** Handling of unknown and duplicate fields by the server. Default: the server's default (`Warn`). */
  readonly fieldValidation?: WriteOptions["fieldValidation"];
  /**
   * True to make the server validate all writes and respond as usual, but store nothing. Individual calls cannot disable it. Default false.
   */
  readonly dryRun?: boolean | undefined;
  /** Fence that every write must pass. Reads are not affected. Default: none. */
  readonly fence?: Fence | undefined;
  /**
   * Namespace for calls that do not set one. Calls that set a different namespace fail. Cluster-scoped kinds are not affected. Default:
   * none.
   */
  readonly namespace?: string | undefined;
  /**
   * Signal that stops retries: a request that is waiting for a retry then fails with its last error. Requests in progress are not
   * cancelled. Default: requests are retried as described for `Connection`.
   */
  readonly retryUntil?: AbortSignal | undefined;
  /** Called before each retry with the last attempt's error: a rejection with `Retry-After`, or a broken connection. Default: none. */
  readonly onRetry?: ConnectionRequest["onRetry"] | undefined;
  /** Interceptor for all writes; runs before defaults are applied and the fence is checked. See `aroundWrites`. Default: none. */
  readonly around?: WriteInterceptor | undefined;
}

/** The stages of a client's writes. */
export interface WritePipeline {
  /** Interceptors, which are called in reverse order. A wrapper of the client appends its own interceptor. */
  readonly interceptors: readonly WriteInterceptor[];
  /** Makes the write after all interceptors. */
  send<Result>(call: WriteCall): Promise<Result>;
  /** Returns the read methods of a subresource. */
  subResourceReads<N extends string>(subResource: N): Pick<SubResourceWriter<N>, "get" | "getText">;
}

/** Key of a client's pipeline. */
const pipelineKey = Symbol("write pipeline");

/**
 * Stores a client's pipeline in a property. Wrappers extend the pipeline, so that a write need not pass through the
 * methods of every wrapped client. The property is not copied with the client, because a copy may have different
 * methods.
 */
export function keepPipeline(client: Writer, pipeline: WritePipeline): void {
  Object.defineProperty(client, pipelineKey, { value: pipeline }); // a WeakMap is slow for clients that exist for one reconcile
}

/** Returns a client's pipeline, or `undefined` if it has none. */
export const keptPipeline = (client: Writer & { readonly [pipelineKey]?: WritePipeline }): WritePipeline | undefined =>
  client[pipelineKey];

/** Returns a writer that passes all writes through one pipeline. No other code lists all the write methods. */
export function writerOf(pipeline: WritePipeline): Writer {
  return {
    create: async (kind, object, options = {}) =>
      write(pipeline, { verb: "create", kind, object: object as Creatable<KubeObject>, options }),
    update: async (kind, object, options = {}) =>
      write(pipeline, { verb: "update", kind, object: object as Writable<KubeObject>, options }),
    patch: async (kind, target, patch, options = {}) =>
      write(pipeline, { verb: "patch", kind, object: named(target), patch, options }),
    apply: async (kind, object, options = {}) =>
      write(pipeline, { verb: "apply", kind, object: object as ApplyConfiguration<KubeObject>, options }),
    delete: async (kind, target, options = {}) =>
      write(pipeline, { verb: "delete", kind, object: named(target), options }),
    deleteCollection: async (kind, options = {}) => write(pipeline, { verb: "deleteCollection", kind, options }),
    status: statusOf(pipeline),
    subResource: (name) => subResourceOf(pipeline, name),
  };
}

function statusOf(pipeline: WritePipeline): StatusWriter {
  const subResource = "status";
  return {
    update: async (kind, object, options = {}) =>
      write(pipeline, { verb: "update", kind, subResource, object: object as Writable<KubeObject>, options }),
    patch: async (kind, target, status, options = {}) => {
      const patch = Array.isArray(status) ? status : { status };
      return write(pipeline, { verb: "patch", kind, subResource, object: named(target), patch, options });
    },
    apply: async (kind, object, options = {}) =>
      write(pipeline, { verb: "apply", kind, subResource, object: object as ApplyConfiguration<KubeObject>, options }),
  };
}

function subResourceOf<N extends string>(pipeline: WritePipeline, subResource: N): SubResourceWriter<N> {
  return {
    ...pipeline.subResourceReads(subResource),
    create: async (kind, target, body, options = {}) =>
      write(pipeline, { verb: "create", kind, subResource, object: named(target), body, options }),
    update: async (kind, target, body, options = {}) =>
      write(pipeline, { verb: "update", kind, subResource, object: named(target), body, options }),
    patch: async (kind, target, patch, options = {}) =>
      write(pipeline, { verb: "patch", kind, subResource, object: named(target), patch, options }),
  };
}

const named = (target: Target): NamedObject =>
  typeof target === "object" && "metadata" in target ? target : { metadata: splitKey(target) };

/** Passes a write through a pipeline's interceptors and sends it. */
function write<Result>(pipeline: WritePipeline, call: WriteCall): Promise<Result> {
  let next = (changed: WriteCall): Promise<Result> => pipeline.send(changed);
  for (const around of pipeline.interceptors) {
    const inner = next;
    next = async (changed) => around(changed, inner);
  }
  return next(call);
}

/**
 * Returns the pipeline of a client that is connected to an API server. The fence is checked last, after writes have
 * been converted to requests.
 */
export function pipelineTo(
  calls: ObjectCalls,
  defaults: ClientDefaults,
  interceptors: readonly WriteInterceptor[],
): WritePipeline {
  const { fence } = defaults;
  return {
    interceptors,
    async send<Result>(call: WriteCall): Promise<Result> {
      const request = writeRequest(call, defaults);
      const what = (): string => described(request);
      const gate: WriteGate | undefined =
        fence && ((write) => throughFence(fence, { what, signal: request.signal }, write));
      if (request.method !== "DELETE") return calls.object(request, gate);
      await calls.send(request, gate);
      return undefined as Result; // the response to a deletion is not used
    },
    subResourceReads: (name) => subResourceReads(calls, name),
  };
}

/** Returns the read methods of a subresource. */
function subResourceReads<N extends string>(
  calls: ObjectCalls,
  subResource: N,
): Pick<SubResourceWriter<N>, "get" | "getText"> {
  return {
    get: async (kind, target, { signal, resourceVersion } = {}) =>
      calls.object({ verb: "get", kind, ...addressOf(target), subResource, query: { resourceVersion }, signal }),
    getText: async (kind, target, { signal, query } = {}) => {
      const { body } = await calls.send({ verb: "get", kind, ...addressOf(target), subResource, query, signal });
      return body.toString();
    },
  };
}

/**
 * Converts a write to a call to the server.
 *
 * @throws {Error} if the object is of another kind, or if `optimisticLock` is set for an object without a resource version
 */
function writeRequest(call: WriteCall, defaults: ClientDefaults): ObjectCall {
  const { kind, subResource } = call;
  const common = { kind, subResource, signal: call.options.signal };
  switch (call.verb) {
    case "create":
    case "update":
    case "patch":
    case "apply":
      return { ...common, ...sent(call), query: writeQuery(call.options, defaults) };
    case "delete":
      return {
        ...common,
        verb: "delete",
        method: "DELETE",
        ...addressOf(call.object),
        body: deleteOptionsBody(call.options, defaults),
      };
    case "deleteCollection": {
      const { namespace } = call.options;
      const body = deleteOptionsBody(call.options, defaults);
      return { ...common, verb: "delete all", method: "DELETE", namespace, query: listQuery(call.options), body };
    }
  }
}

type SendingCall = Exclude<WriteCall, { readonly verb: "delete" | "deleteCollection" }>;
type Sent = Pick<ObjectCall, "verb" | "method" | "namespace" | "name" | "body" | "contentType">;

/** Returns the method, address and body of a write that sends an object. */
function sent(call: SendingCall): Sent {
  switch (call.verb) {
    case "create": {
      if (call.body !== undefined)
        return {
          verb: "create",
          method: "POST",
          ...addressOf(call.object),
          body: stringifyJson(subResourceBody(call)),
        };
      const object = typed("create", call.kind, call.object);
      checkNewName(call.kind, object.metadata);
      return { verb: "create", method: "POST", namespace: object.metadata.namespace, body: stringifyJson(object) };
    }
    case "update": {
      const body =
        call.body === undefined ? replacement(typed("update", call.kind, call.object)) : subResourceBody(call);
      return { verb: "update", method: "PUT", ...addressOf(call.object), body: stringifyJson(body) };
    }
    case "patch":
      return patched(call.object, call.patch, call.options);
    case "apply":
      return patched(call.object, typed("apply", call.kind, call.object), { ...call.options, type: "apply" });
  }
}

/** Reports whether a kind is a review. Reviews are queries: the server responds to them but stores nothing, so they need no name. */
const isReview = ({ kind }: Kind): boolean => kind.endsWith("Review");

/**
 * Validates a new object's name. If it has none, the server generates one from `generateName`.
 *
 * @throws {StatusError} `Invalid`, as the server would return
 */
function checkNewName(
  kind: Kind,
  { name, generateName }: { readonly name?: unknown; readonly generateName?: unknown },
): void {
  if (!name && (generateName || isReview(kind))) return;
  const at = fieldPath("metadata", "name");
  const errors = name
    ? newNameProblems(name).map((problem) => fieldError.invalid(at, name, problem))
    : [fieldError.required(at, "name or generateName is required")];
  if (errors.length > 0) throw toAggregateInvalid(kind, typeof name === "string" ? name : "", errors);
}

function newNameProblems(name: unknown): string[] {
  if (typeof name !== "string") return ["must be a string"];
  return name.isWellFormed() ? isPathSegmentName(name) : ["must be well-formed Unicode"];
}

/** Removes `managedFields`, because an update with only some of them would erase other managers' ownership. */
const replacement = (object: KubeObject): object =>
  withIntegersOf(object, {
    ...object,
    metadata: withIntegersOf(object.metadata, { ...object.metadata, managedFields: undefined }),
  });

function patched(object: NamedObject, patch: object, options: PatchOptions): Sent {
  const { type = "merge" } = options;
  return {
    verb: type === "apply" ? "apply" : "patch",
    method: "PATCH",
    ...addressOf(object),
    body: stringifyJson(options.optimisticLock ? locked(patch, object) : patch),
    contentType: patchContentType[type],
  };
}

const patchContentType: Readonly<Record<PatchType, string>> = {
  merge: "application/merge-patch+json",
  json: "application/json-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
};

/** Adds the resource version of the original object to the patch, so that the server rejects the patch if a newer version exists. */
function locked(patch: object, { metadata: { resourceVersion } }: NamedObject): object {
  if (!resourceVersion) throw new Error("optimisticLock requires a target with a resourceVersion");
  if (Array.isArray(patch))
    return [{ op: "test", path: "/metadata/resourceVersion", value: resourceVersion }, ...patch];
  const metadata = "metadata" in patch && typeof patch.metadata === "object" ? patch.metadata : {};
  return withIntegersOf(patch, {
    ...patch,
    metadata: withIntegersOf(metadata ?? {}, { ...metadata, resourceVersion }),
  });
}

function writeQuery(
  options: WriteOptions & Pick<PatchOptions, "force">,
  defaults: ClientDefaults,
): ConnectionRequest["query"] {
  return {
    fieldManager: options.fieldOwner ?? defaults.fieldOwner,
    fieldValidation: options.fieldValidation ?? defaults.fieldValidation,
    dryRun: options.dryRun || defaults.dryRun ? "All" : undefined,
    force: options.force ? true : undefined,
  };
}

function deleteOptionsBody(options: DeleteOptions, defaults: ClientDefaults): string {
  const { gracePeriodSeconds, propagationPolicy, preconditions } = options;
  const dryRun = options.dryRun || defaults.dryRun;
  return JSON.stringify({
    kind: "DeleteOptions",
    apiVersion: "v1",
    gracePeriodSeconds,
    propagationPolicy,
    preconditions,
    ...(dryRun ? { dryRun: ["All"] } : {}),
  });
}

/** Returns the namespace and name of the object that a call targets. */
export function addressOf(target: Target): { readonly namespace: string | undefined; readonly name: string } {
  if (typeof target === "string" || !("metadata" in target)) return splitKey(target);
  return { namespace: target.metadata.namespace || undefined, name: target.metadata.name };
}

/** Returns the object to send, with the kind's `apiVersion` and `kind`. @throws {Error} if the object has another type */
function typed(verb: string, kind: Kind, object: object): KubeObject {
  if (isMetadataOnly(kind)) throw new Error(`cannot ${verb} ${kind.kind} using only metadata, did you mean to patch?`);
  const apiVersion = kind.group === "" ? kind.version : `${kind.group}/${kind.version}`;
  const given = object as Partial<KubeObject>;
  if ((given.kind ?? kind.kind) !== kind.kind || (given.apiVersion ?? apiVersion) !== apiVersion)
    throw new Error(
      `${verb} ${kind.kind}: the object is of type ${given.apiVersion}, Kind=${given.kind}, not ${apiVersion}, Kind=${kind.kind}`,
    );
  return withIntegersOf(object, { ...given, apiVersion, kind: kind.kind } as KubeObject);
}

const subResourceTypes: Readonly<
  Record<keyof SubResourceTypes, { readonly apiVersion: string; readonly kind: string }>
> = {
  scale: { apiVersion: "autoscaling/v1", kind: "Scale" },
  token: { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest" },
  eviction: { apiVersion: "policy/v1", kind: "Eviction" },
  binding: { apiVersion: "v1", kind: "Binding" },
};

/** Returns the subresource body to send. Adds its type (if known) and the required name if the caller omitted them. */
function subResourceBody({ subResource, object, body }: Extract<WriteCall, { readonly body: object }>): object {
  const metadata = ("metadata" in body && typeof body.metadata === "object" && body.metadata) || {};
  const type = Object.hasOwn(subResourceTypes, subResource)
    ? subResourceTypes[subResource as keyof SubResourceTypes]
    : {};
  const whole = { ...addressOf(object), ...defined(metadata) };
  return withIntegersOf(body, { ...type, ...defined(body), metadata: withIntegersOf(metadata, whole) });
}

/** Removes undefined members, which are equivalent to absent ones. */
const defined = (members: object): object =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));

/**
 * Performs a write that a fence must allow. Rejects as soon as the fence closes or the caller's signal aborts, even if
 * `write` is still in progress.
 *
 * Listens to both signals directly instead of combining them with `AbortSignal.any`: if one of them lives as long as
 * the process, a combined signal takes 20 µs to create and stays in memory for a long time.
 */
export async function throughFence<T>(
  fence: Fence,
  call: { readonly what: () => string; readonly signal: AbortSignal | undefined },
  write: (fenced: FencedCall) => Promise<T>,
): Promise<T> {
  const { signal } = call;
  signal?.throwIfAborted();
  let wasSent = false;
  const ended = new AbortController();
  const end = Promise.withResolvers<never>();
  const giveUp = (error: unknown): void => {
    ended.abort(error);
    end.reject(error);
  };
  const refuse = (sent: boolean, cause: unknown): void =>
    giveUp(fence.refused({ what: call.what(), wasSent: sent }, cause));
  const check = (): void => {
    try {
      fence.check();
    } catch (cause) {
      refuse(wasSent, cause);
    }
    ended.signal.throwIfAborted();
  };
  const beforeSending = (): void => {
    wasSent = false; // before a retry, the server responded that it did nothing
    check();
    wasSent = true;
  };
  const onAbort = (): void => {
    if (wasSent) fence.abandoned?.();
    giveUp(signal?.reason);
  };
  const onClosed = (): void => refuse(wasSent, fence.signal.reason);
  signal?.addEventListener("abort", onAbort);
  fence.signal.addEventListener("abort", onClosed);
  try {
    end.promise.catch(() => {}); // handled by the race, unless the first check throws
    check();
    return await Promise.race([write({ signal: ended.signal, beforeSending }), end.promise]);
  } finally {
    signal?.removeEventListener("abort", onAbort);
    fence.signal.removeEventListener("abort", onClosed);
  }
}
