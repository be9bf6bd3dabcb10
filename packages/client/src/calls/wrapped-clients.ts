import { groupKindKey, type KeyLike, type Kind, type KubeObject } from "@kubewright/apimachinery";
import type { PatchBody, Target } from "../contract/objects.ts";
import type { CachedReader, GetOptions, ListOptions, Reader } from "../contract/reader.ts";
import type { CachedReadWriter, ReadWriter, Writer } from "../contract/writer.ts";
import { Client } from "./client.ts";
import {
  addressOf,
  keepPipeline,
  keptPipeline,
  type WriteCall,
  type WriteInterceptor,
  type WritePipeline,
  writerOf,
} from "./write-pipeline.ts";

/**
 * Returns a client that passes every write through `around`: including deletions and writes to the status and other
 * subresources. Reads are not affected. If you pass a `Client`, the result is also a `Client`: it uses the same
 * connection and can be passed to a manager.
 *
 * A `Client` applies its defaults (`Client.with`) and checks its fence after `around`.
 *
 * @see controller-runtime pkg/client/interceptor NewClient
 */
export function aroundWrites(client: Client, around: WriteInterceptor): Client;
export function aroundWrites(client: CachedReadWriter, around: WriteInterceptor): CachedReadWriter;
export function aroundWrites(client: ReadWriter, around: WriteInterceptor): ReadWriter;
export function aroundWrites(client: Writer, around: WriteInterceptor): Writer;
export function aroundWrites(client: Writer | ReadWriter | CachedReadWriter, around: WriteInterceptor): Writer {
  if (client instanceof Client) return client.with({ around });
  const pipeline = pipelineOf(client);
  return wrapped("get" in client ? readsOf(client) : {}, {
    ...pipeline,
    interceptors: [...pipeline.interceptors, around],
  });
}

/** A read as requested by the caller, with the selectors and other options that the caller passed. */
export type ReadCall =
  | {
      readonly verb: "get";
      readonly kind: Kind;
      readonly subResource?: undefined;
      readonly key: KeyLike;
      readonly options: GetOptions;
    }
  | { readonly verb: "list"; readonly kind: Kind; readonly subResource?: undefined; readonly options: ListOptions }
  | {
      /** A read through `client.subResource(name)`, as an object (`get`) or as text (`getText`). */
      readonly verb: "get" | "getText";
      readonly kind: Kind;
      readonly subResource: string;
      readonly key: KeyLike;
      readonly options: GetOptions & { readonly query?: Readonly<Record<string, string>> | undefined };
    };

/** Functions that wrap all calls of a client. */
export interface CallInterceptors {
  /** Wraps every read. `next` makes the read. An interceptor may also return another result of the expected type. */
  readonly read: <Result>(call: ReadCall, next: () => Promise<Result>) => Promise<Result>;
  readonly write: WriteInterceptor;
}

/**
 * Returns a client that passes every read and write through the interceptors, including those for the status and other
 * subresources. The interceptors run before any interceptors of the given client.
 */
export function aroundCalls(client: ReadWriter, { read, write }: CallInterceptors): ReadWriter {
  const pipeline = pipelineOf(client);
  const reads: Reader = {
    get: (kind, key, options = {}) => read({ verb: "get", kind, key, options }, () => client.get(kind, key, options)),
    list: (kind, options = {}) => read({ verb: "list", kind, options }, () => client.list(kind, options)),
  };
  return wrapped(reads, {
    ...pipeline,
    interceptors: [...pipeline.interceptors, write],
    subResourceReads: (subResource) => {
      const inner = pipeline.subResourceReads(subResource);
      const callOf = <V extends string>(verb: V, kind: Kind, target: Target) =>
        ({ verb, kind, subResource, key: addressOf(target) }) as const;
      return {
        get: (kind, target, options = {}) =>
          read({ ...callOf("get", kind, target), options }, () => inner.get(kind, target, options)),
        getText: (kind, target, options = {}) =>
          read({ ...callOf("getText", kind, target), options }, () => inner.getText(kind, target, options)),
      };
    },
  });
}

/** Options for {@link withReader}. @see controller-runtime pkg/client CacheOptions */
export interface WithReaderOptions {
  /** Kinds, in any version, that are read with the client instead of the reader, such as Secrets that must not be cached. Default: none. */
  readonly disableFor?: readonly Pick<Kind, "group" | "kind">[] | undefined;
}

/**
 * Combines a reader and a writer, usually a cache and an API server client. The cache does not show a write until its
 * watch has delivered it; `caughtUp` waits for that. Kinds in `disableFor` are read from the server and always count as
 * caught up.
 *
 * @see controller-runtime pkg/client CacheOptions
 */
export function withReader(client: ReadWriter, reader: CachedReader, options: WithReaderOptions): CachedReadWriter;
export function withReader(client: ReadWriter, reader: Reader, options: WithReaderOptions): ReadWriter;
export function withReader(writer: Writer, reader: CachedReader): CachedReadWriter;
export function withReader(writer: Writer, reader: Reader): ReadWriter;
export function withReader(
  writer: Writer | ReadWriter,
  reader: Reader | CachedReader,
  options: WithReaderOptions = {},
): ReadWriter | CachedReadWriter {
  const { disableFor = [] } = options;
  const reads = readsOf(reader);
  const chosen = disableFor.length > 0 && "get" in writer ? choosing(reads, writer, disableFor) : reads;
  return wrapped(chosen, pipelineOf(writer));
}

function choosing(
  cached: Reader | CachedReader,
  live: Reader,
  disableFor: readonly Pick<Kind, "group" | "kind">[],
): Reader | CachedReader {
  const keys = new Set(disableFor.map(groupKindKey));
  const isUncached = (kind: Kind): boolean => keys.has(groupKindKey(kind));
  const readerOf = (kind: Kind): Reader => (isUncached(kind) ? live : cached);
  const reads: Reader = {
    get: <T extends KubeObject>(kind: Kind<T>, key: KeyLike, options?: GetOptions) =>
      readerOf(kind).get(kind, key, options),
    list: <T extends KubeObject>(kind: Kind<T>, options?: ListOptions) => readerOf(kind).list(kind, options),
  };
  if (!("caughtUp" in cached)) return reads;
  return {
    ...reads,
    caughtUp: async (kind, written, options) => isUncached(kind) || cached.caughtUp(kind, written, options),
  };
}

/** Returns a client's read methods. */
function readsOf(reader: Reader | CachedReader): Reader | CachedReader {
  const reads: Reader = {
    get: (kind, key, options) => reader.get(kind, key, options),
    list: (kind, options) => reader.list(kind, options),
  };
  if (!("caughtUp" in reader)) return reads;
  return { ...reads, caughtUp: (kind, written, options) => reader.caughtUp(kind, written, options) };
}

/** Returns a client with these read methods, whose writes pass through the pipeline. */
function wrapped<Reads extends object>(reads: Reads, pipeline: WritePipeline): Reads & Writer {
  const client = Object.assign(writerOf(pipeline), reads);
  keepPipeline(client, pipeline);
  return client;
}

/**
 * Returns a client's write pipeline. A {@link Writer} that this package did not create has no pipeline, so its methods are called directly.
 */
function pipelineOf(writer: Writer): WritePipeline {
  return (
    keptPipeline(writer) ?? {
      interceptors: [],
      // The called method returns the result type that the caller expects, unless an interceptor changes the type of the call.
      send: <Result>(call: WriteCall) => makeWrite(writer, call) as Promise<Result>,
      subResourceReads: (name) => {
        const subResource = writer.subResource(name);
        return {
          get: (kind, target, options) => subResource.get(kind, target, options),
          getText: (kind, target, options) => subResource.getText(kind, target, options),
        };
      },
    }
  );
}

/** Makes a write with the method that the caller used. */
async function makeWrite(writer: Writer, call: WriteCall): Promise<unknown> {
  switch (call.verb) {
    case "create":
    case "update":
      if (call.body !== undefined)
        return writer.subResource(call.subResource)[call.verb](call.kind, call.object, call.body, call.options);
      if (call.verb === "create") return writer.create(call.kind, call.object, call.options);
      return (call.subResource ? writer.status : writer).update(call.kind, call.object, call.options);
    case "apply":
      return (call.subResource ? writer.status : writer).apply(call.kind, call.object, call.options);
    case "patch":
      return makePatch(writer, call);
    case "delete":
      return writer.delete(call.kind, call.object, call.options);
    case "deleteCollection":
      return writer.deleteCollection(call.kind, call.options);
  }
}

function makePatch(writer: Writer, call: WriteCall & { readonly verb: "patch" }): Promise<object> {
  const { kind, subResource, object, patch, options } = call;
  if (subResource === undefined) return writer.patch(kind, object, patch as PatchBody<KubeObject>, options);
  const status = subResource === "status" ? statusIn(patch) : undefined;
  return status
    ? writer.status.patch(kind, object, status, options)
    : writer.subResource(subResource).patch(kind, object, patch, options);
}

/** Returns the argument for `client.status` if the patch contains only the status. */
function statusIn(patch: object): object | undefined {
  if (Array.isArray(patch)) return patch;
  const members: [string, unknown][] = Object.entries(patch);
  const [[name, status] = [], ...others] = members;
  return name === "status" && others.length === 0 && typeof status === "object" && status ? status : undefined;
}
