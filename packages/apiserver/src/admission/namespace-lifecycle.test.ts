import { describe, expect, it } from "vitest";
import type { AdmissionAttributes } from "./admission.ts";
import { namespaceLifecycle } from "./namespace-lifecycle.ts";
import { attributesOf, labelled } from "./testing/attributes.ts";

const plugin = namespaceLifecycle(async (name) => {
  if (name === "ending") return labelled({}, { deletionTimestamp: "2026-01-01T00:00:00Z" });
  return name === "default" ? labelled() : undefined;
});
const admit = async (more: Partial<AdmissionAttributes>) => plugin.admit?.(attributesOf(more), undefined as never);
const of = (group: string, resource: string) => ({ resource: { group, version: "v1", resource } });
const namespaces = of("", "namespaces");

/** @see apiserver pkg/admission/plugin/namespace/lifecycle admission_test.go */
describe("a request is admitted", () => {
  it.each<[string, Partial<AdmissionAttributes>]>([
    ["to create in a namespace", {}],
    ["to create a namespace", { ...namespaces, namespace: "gone" }],
    ["to create a cluster-scoped object", { ...of("", "nodes"), namespace: "" }],
    [
      "to create an access review in a missing namespace",
      { ...of("authorization.k8s.io", "localsubjectaccessreviews"), namespace: "gone" },
    ],
    ["to update an object in a terminating namespace", { operation: "UPDATE", namespace: "ending" }],
    ["to delete an object in a terminating namespace", { operation: "DELETE", namespace: "ending" }],
    ["to delete a namespace", { ...namespaces, operation: "DELETE", name: "other", namespace: "other" }],
    [
      "to change a namespace of the system",
      { ...namespaces, operation: "UPDATE", name: "kube-system", namespace: "kube-system" },
    ],
    ["to delete an object with its name", { operation: "DELETE", name: "default" }],
    [
      "to delete another group's namespace",
      { ...of("example.com", "namespaces"), operation: "DELETE", name: "default" },
    ],
  ])("%s", async (_what, more) => {
    await expect(admit(more)).resolves.toBeUndefined();
  });
});

describe("a request is refused", () => {
  it.each<[string, Partial<AdmissionAttributes>, object]>([
    [
      "to create in a namespace that is not there",
      { namespace: "gone" },
      { code: 404, message: 'namespaces "gone" not found' },
    ],
    [
      "to ask another group's question there",
      { ...of("example.com", "localsubjectaccessreviews"), namespace: "gone" },
      { code: 404 },
    ],
    ["to ask another question there", { ...of("authorization.k8s.io", "others"), namespace: "gone" }, { code: 404 }],
    [
      "to create in a namespace that ends",
      { namespace: "ending" },
      {
        code: 403,
        message:
          'pods "web" is forbidden: unable to create new content in namespace ending because it is being terminated',
        details: {
          name: "web",
          kind: "pods",
          causes: [
            {
              reason: "NamespaceTerminating",
              message: "namespace ending is being terminated",
              field: "metadata.namespace",
            },
          ],
        },
      },
    ],
    ...["default", "kube-system", "kube-public"].map((name): [string, Partial<AdmissionAttributes>, object] => [
      `to delete ${name}`,
      { ...namespaces, operation: "DELETE", name, namespace: name },
      { code: 403, message: `namespaces "${name}" is forbidden: this namespace may not be deleted` },
    ]),
  ])("%s", async (_what, more, status) => {
    await expect(admit(more)).rejects.toMatchObject({ status });
  });
});

it("checks writes, not connections", () => {
  expect((["CREATE", "UPDATE", "DELETE", "CONNECT"] as const).filter((one) => plugin.handles(one))).toEqual([
    "CREATE",
    "UPDATE",
    "DELETE",
  ]);
});
