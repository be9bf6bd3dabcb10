import { type Kind, notFound, type Unstructured } from "@kubewright/apimachinery";
import { expect, it } from "vitest";
import type { Client } from "../calls/client.ts";
import { ApplySet, contentsOf, joined } from "./apply-set.ts";

const object = (kind: string, name: string, namespace?: string): Unstructured => ({
  apiVersion: kind === "Deployment" ? "apps/v1" : "v1",
  kind,
  metadata: { name, uid: `uid-${name}`, ...(namespace ? { namespace } : {}) },
});
const parent = (annotations: Record<string, string>, labels: Record<string, string> = {}): Unstructured => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "shop", namespace: "n", labels, annotations },
});

/** A set on a client that has this parent and these members. */
function setOn(own: Unstructured | undefined, members: readonly Unstructured[] = []) {
  const [lists, applied]: [string[], unknown[]] = [[], []];
  const client = {
    mapper: {
      mappingFor: async ({ group, kind }: Kind) => ({
        gvk: { group, version: "v1", kind },
        gvr: { resource: `${kind.toLowerCase()}s` },
        scope: kind === "Node" ? "Cluster" : "Namespaced",
      }),
    },
    get: async () => {
      if (!own) throw notFound({ group: "", resource: "secrets" }, "shop");
      return own;
    },
    list: async ({ kind, group }: Kind, { namespace, labels }: { namespace?: string; labels: object }) => {
      lists.push(`${kind}.${group} in ${namespace} ${Object.keys(labels)}`);
      return members.filter((one) => one.kind === kind && one.metadata.namespace === namespace);
    },
    apply: async (_: Kind, one: unknown, options: unknown) => void applied.push(one, options),
  };
  return { set: new ApplySet(client as unknown as Client, { name: "shop", namespace: "n" }), lists, applied };
}

it("lists kinds and namespaces of its members, each once", () => {
  const contents = contentsOf([object("Deployment", "a", "m"), object("Node", "b"), object("Secret", "c", "n")]);
  expect(contents).toEqual({ groupKinds: ["Deployment.apps", "Node", "Secret"], namespaces: ["m", "n"] });
  expect(joined(contents, contentsOf([object("ConfigMap", "d", "m"), object("Secret", "e", "k")]))).toEqual({
    groupKinds: ["ConfigMap", "Deployment.apps", "Node", "Secret"],
    namespaces: ["k", "m", "n"],
  });
});

it("reads from its Secret what it wrote there, without its own namespace", async () => {
  expect(await setOn(undefined).set.contents()).toEqual({ groupKinds: [], namespaces: [] });
  const { set, applied } = setOn(undefined);
  await set.record({ groupKinds: ["Secret", "Node", "Secret"], namespaces: ["n", "m", "k"] });
  const [written, options] = applied as [Unstructured, unknown];
  expect(options).toEqual({ force: true });
  expect(written.metadata).toMatchObject({ name: "shop", namespace: "n" });
  const { annotations = {}, labels = {} } = written.metadata;
  expect(Object.values(annotations)).toEqual(["kubewright/v1", "Node,Secret", "k,m"]);
  expect(await setOn(parent(annotations, labels)).set.contents()).toEqual({
    groupKinds: ["Node", "Secret"],
    namespaces: ["k", "m"],
  });
  const tooling = { "applyset.kubernetes.io/tooling": "kubectl/v1" };
  await expect(setOn(parent(tooling, labels)).set.contents()).rejects.toThrow("belongs to kubectl/v1");
  await expect(setOn(parent(annotations)).set.contents()).rejects.toThrow("choose another name");
  await expect(setOn(parent({}, labels)).set.contents()).rejects.toThrow("is not an applyset");
});

it("finds members of every kind and namespace that are not kept, last kind first", async () => {
  const members = [
    object("Node", "a"),
    object("Secret", "b", "n"),
    object("Secret", "c", "m"),
    object("Secret", "d", "n"),
  ];
  const { set, lists } = setOn(undefined, members);
  const strays = await set.strays({ groupKinds: ["Secret", "Node"], namespaces: ["m"] }, new Set(["uid-d"]));
  expect(strays.map(({ object: { metadata } }) => metadata.name)).toEqual(["c", "b", "a"]);
  expect(strays[0]?.kind).toMatchObject({ kind: "Secret", plural: "secrets", scope: "Namespaced" });
  const label = "applyset.kubernetes.io/part-of";
  expect(lists).toEqual([`Node. in undefined ${label}`, `Secret. in n ${label}`, `Secret. in m ${label}`]);
});
