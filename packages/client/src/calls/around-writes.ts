import type { KubeObject } from "@kubewright/apimachinery";
import type { PatchBody } from "../contract/objects.ts";
import type { CachedReader, Reader } from "../contract/reader.ts";
import type { WriteCall, WriteInterceptor } from "../contract/write-call.ts";
import type { CachedReadWriter, ReadWriter, Writer } from "../contract/writer.ts";
import { Client } from "./client.ts";
import { writerOf } from "./writer-of.ts";

/**
 * Returns a client whose every write passes through `around`: writes of objects, of their status and other subresources, and deletions,
 * but not reads. If the argument is a `Client`, so is the result, over the same connection, and can be passed to a manager.
 *
 * The `Client` applies its defaults (`Client.with`) and checks its fence after `around`.
 *
 * @see controller-runtime pkg/client/interceptor NewClient
 */
export function aroundWrites(client: Client, around: WriteInterceptor): Client;
export function aroundWrites(client: CachedReadWriter, around: WriteInterceptor): CachedReadWriter;
export function aroundWrites(client: ReadWriter, around: WriteInterceptor): ReadWriter;
export function aroundWrites(client: Writer, around: WriteInterceptor): Writer;
export function aroundWrites(client: Writer | ReadWriter | CachedReadWriter, around: WriteInterceptor): Writer {
  if (client instanceof Client) return client.with({ around });
  const writer = writesAround(client, around);
  return "get" in client ? { ...readsOf(client), ...writer } : writer;
}

/** Returns only the writes of {@link aroundWrites}. */
export function writesAround(writer: Writer, around: WriteInterceptor): Writer {
  return writerOf({
    write: <Answer>(call: WriteCall) =>
      // A changed call returns the result that the caller expects, unless the interceptor changes its type.
      around(call, (changed) => makeWrite(writer, changed) as Promise<Answer>),
    readsOf: (name) => {
      const subResource = writer.subResource(name);
      return {
        get: (kind, target, options) => subResource.get(kind, target, options),
        getText: (kind, target, options) => subResource.getText(kind, target, options),
      };
    },
  });
}

/** Returns the reads of a client, to be passed on. */
export function readsOf(reader: Reader | CachedReader): Reader | CachedReader {
  const reads: Reader = {
    get: (kind, key, options) => reader.get(kind, key, options),
    list: (kind, options) => reader.list(kind, options),
  };
  if (!("caughtUp" in reader)) return reads;
  return { ...reads, caughtUp: (kind, written, options) => reader.caughtUp(kind, written, options) };
}

/** Makes a write with the method that it came from. */
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
