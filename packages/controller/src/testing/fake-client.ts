import { type Kind, type KubeObject, keyOf, notFound } from "@kubewright/apimachinery";
import { kubeList, type ReadWriter, type SubResourceWriter } from "@kubewright/client";

const refuse = (verb: string) => (): never => {
  throw new Error(`the fake client does not support ${verb}`);
};

/** Returns a client that reads from the given objects and rejects writes. */
export function fakeClient(...objects: KubeObject[]): ReadWriter {
  const isOf = (kind: Kind, object: KubeObject): boolean => object.kind === kind.kind;
  return {
    get: async (kind, key) => {
      const object = objects.find((candidate) => isOf(kind, candidate) && keyOf(candidate) === key);
      if (!object) throw notFound({ group: kind.group, resource: kind.kind }, String(key));
      return object as never;
    },
    list: async (kind) => kubeList(objects.filter((object) => isOf(kind, object)) as never[], {}),
    create: refuse("create"),
    update: refuse("update"),
    patch: refuse("patch"),
    apply: refuse("apply"),
    delete: refuse("delete"),
    deleteCollection: refuse("deleteCollection"),
    status: { update: refuse("update"), patch: refuse("patch"), apply: refuse("apply") },
    subResource: <N extends string>(): SubResourceWriter<N> => refuse("subresource")(),
  };
}
