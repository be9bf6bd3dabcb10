import { type KubeObject, splitKey } from "@kubewright/apimachinery";
import type { ApplyConfiguration, Creatable, NamedObject, Target, Writable } from "../contract/objects.ts";
import type { WriteCall } from "../contract/write-call.ts";
import type { StatusWriter, SubResourceWriter, Writer } from "../contract/writer.ts";

/** The functions that a writer is built from. */
export interface WriterParts {
  /** Makes any write, and returns the result that its caller expects. */
  write<Answer>(call: WriteCall): Promise<Answer>;
  /** Returns the read methods of a subresource. */
  readsOf<N extends string>(subResource: N): Pick<SubResourceWriter<N>, "get" | "getText">;
}

/** Returns a writer whose writes are all passed to one function. All write methods are listed here. */
export function writerOf(parts: WriterParts): Writer {
  return {
    create: async (kind, object, options = {}) =>
      parts.write({ verb: "create", kind, object: object as Creatable<KubeObject>, options }),
    update: async (kind, object, options = {}) =>
      parts.write({ verb: "update", kind, object: object as Writable<KubeObject>, options }),
    patch: async (kind, target, patch, options = {}) =>
      parts.write({ verb: "patch", kind, object: named(target), patch, options }),
    apply: async (kind, object, options = {}) =>
      parts.write({ verb: "apply", kind, object: object as ApplyConfiguration<KubeObject>, options }),
    delete: async (kind, target, options = {}) => parts.write({ verb: "delete", kind, object: named(target), options }),
    deleteCollection: async (kind, options = {}) => parts.write({ verb: "deleteCollection", kind, options }),
    status: statusOf(parts),
    subResource: (name) => subResourceOf(parts, name),
  };
}

function statusOf(parts: WriterParts): StatusWriter {
  const subResource = "status";
  return {
    update: async (kind, object, options = {}) =>
      parts.write({ verb: "update", kind, subResource, object: object as Writable<KubeObject>, options }),
    patch: async (kind, target, status, options = {}) => {
      const patch = Array.isArray(status) ? status : { status };
      return parts.write({ verb: "patch", kind, subResource, object: named(target), patch, options });
    },
    apply: async (kind, object, options = {}) =>
      parts.write({ verb: "apply", kind, subResource, object: object as ApplyConfiguration<KubeObject>, options }),
  };
}

function subResourceOf<N extends string>(parts: WriterParts, subResource: N): SubResourceWriter<N> {
  return {
    ...parts.readsOf(subResource),
    create: async (kind, target, body, options = {}) =>
      parts.write({ verb: "create", kind, subResource, object: named(target), body, options }),
    update: async (kind, target, body, options = {}) =>
      parts.write({ verb: "update", kind, subResource, object: named(target), body, options }),
    patch: async (kind, target, patch, options = {}) =>
      parts.write({ verb: "patch", kind, subResource, object: named(target), patch, options }),
  };
}

const named = (target: Target): NamedObject =>
  typeof target === "object" && "metadata" in target ? target : { metadata: splitKey(target) };
