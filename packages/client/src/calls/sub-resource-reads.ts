import type { SubResourceWriter } from "../contract/writer.ts";
import { addressOf, type ObjectCalls } from "./object-calls.ts";

/** Returns the read methods of a subresource. */
export function subResourceReads<N extends string>(
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
