import { readdir, readFile } from "node:fs/promises";
import type { Unstructured } from "@kubewright/apimachinery";
import { beforeAll, describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { inApp, readManifests } from "./manifests.ts";

/** Returns every object in a folder of the reference, and the names of files that are not valid YAML. */
async function referenceObjects(folder: string): Promise<{ objects: Unstructured[]; unreadable: string[] }> {
  const objects: Unstructured[] = [];
  const unreadable: string[] = [];
  for (const file of await readdir(inApp(folder))) {
    const documents = parseAllDocuments(await readFile(`${inApp(folder)}/${file}`, "utf8"));
    if (documents.some(({ errors }) => errors.length > 0)) unreadable.push(file);
    else objects.push(...documents.flatMap((document) => document.toJS() ?? []));
  }
  return { objects, unreadable };
}

const named = ({ kind, metadata }: Unstructured): string => `${kind} ${metadata.name}`;

describe("the objects that npm start applies from the reference", () => {
  let ours: readonly Unstructured[];
  beforeAll(async () => {
    ours = [...(await readManifests(inApp("samples"))), ...(await readManifests(inApp("cnfs")))];
  });

  const amended = (objects: readonly Unstructured[], without: (object: Unstructured) => unknown): string[] => {
    const known = new Set(ours.map((object) => JSON.stringify(without(object))));
    return objects.filter((object) => !known.has(JSON.stringify(without(object)))).map(named);
  };

  it("are its unchanged samples, except for the one that its CNF refuses", async () => {
    const { objects, unreadable } = await referenceObjects("testdata/reference-samples");
    expect([objects.length, unreadable]).toEqual([13, []]);
    expect(amended(objects, (object) => object)).toEqual(["CNFNAT nat-sample"]);
  });

  it("are its end-to-end resources with each site in its own namespace, except for one name and a file that is not valid YAML", async () => {
    const { objects, unreadable } = await referenceObjects("testdata/reference-e2e");
    expect([objects.length, unreadable]).toEqual([19, ["attach-network-ovn.yaml"]]);
    const anywhere = (object: Unstructured) => ({
      ...object,
      metadata: { ...object.metadata, namespace: undefined },
    });
    expect(amended(objects, anywhere)).toEqual(["CNFService cnfservice-sample"]);
  });
});
