import type { FieldError, Unstructured } from "@kubewright/apimachinery";
import type { AuthorizationAttributes } from "@kubewright/apiserver/authorization";
import type { CheckedWrite } from "@kubewright/apiserver/registry";
import { describe, expect, it } from "vitest";
import { claimAccess } from "./claim-access.ts";

const claim = (status: object, spec: object = {}): Unstructured => ({
  apiVersion: "resource.k8s.io/v1",
  kind: "ResourceClaim",
  metadata: { name: "c", namespace: "n" },
  spec,
  status,
});
const device = (driver: string, more: object = {}) => ({ driver, pool: "p", device: "d", ...more });
const onNode = (name: string, more: object = {}) => ({
  nodeSelector: { nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: [name] }] }] },
  ...more,
});

const nearNode = { key: "metadata.name", operator: "In", values: ["near"] };
const term = (...matchFields: readonly object[]) => ({ nodeSelector: { nodeSelectorTerms: [{ matchFields }] } });

async function asked(
  write: Partial<CheckedWrite> & Pick<CheckedWrite, "object">,
  {
    allowed = [],
    labels = {},
    resource = "resourceclaims",
  }: { allowed?: string[]; labels?: Record<string, string>; resource?: string } = {},
) {
  const questions: string[] = [];
  const authorize = ({ verb, subresource, namespace, name }: AuthorizationAttributes) => {
    questions.push([verb, subresource, namespace, name].join());
    return { decision: allowed.includes(verb) ? ("allow" as const) : ("no opinion" as const) };
  };
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "n", labels } };
  const checks = claimAccess(authorize, async () => namespace);
  const user = {
    name: "system:serviceaccount:n:s",
    groups: [],
    extra: { "authentication.kubernetes.io/node-name": ["near"] },
  };
  const context = { user, verb: "patch", nowMs: 0, namespace: "n", dryRun: false, warn() {} };
  const errors = await checks.get(`${resource}.resource.k8s.io`)?.({ part: "status", context, ...write });
  return { questions, messages: errors?.map(({ field, detail }: FieldError) => `${field}: ${detail}`) };
}

describe("the status of a claim", () => {
  it("is allocated and reserved by users who may bind claims in the whole cluster", async () => {
    for (const status of [{ allocation: {} }, { reservedFor: [{ name: "p" }] }]) {
      const { questions, messages } = await asked({ object: claim(status), old: claim({}) });
      expect(questions).toEqual(["patch,binding,,"]);
      expect(messages?.[0]).toMatch(
        /^status.allocation: changing .* requires resource="resourceclaims\/binding", verb="patch" permission: /,
      );
    }
    expect(
      (await asked({ object: claim({}), old: claim({ allocation: {} }) }, { allowed: ["patch"] })).messages,
    ).toEqual([]);
    expect((await asked({ object: claim({ allocation: {} }), old: claim({ allocation: {} }) })).questions).toEqual([]);
  });

  it("reports devices by users with permission for the driver, on their node or on any", async () => {
    const changed = (allocation: object, next: object[], before: object[] = []) => ({
      object: claim({ allocation, devices: next }),
      old: claim({ allocation, devices: before }),
    });
    const far = await asked(changed(onNode("far"), [device("b"), device("a")]));
    expect(far.questions).toEqual(["arbitrary-node:patch,driver,n,a", "arbitrary-node:patch,driver,n,b"]);
    expect(far.messages).toHaveLength(2);
    const near = await asked(changed(onNode("near"), [device("a")]), { allowed: ["arbitrary-node:patch"] });
    expect(near.questions).toEqual(["associated-node:patch,driver,n,a", "arbitrary-node:patch,driver,n,a"]);
    expect(near.messages).toEqual([]);
    const terms = { nodeSelectorTerms: [...onNode("near").nodeSelector.nodeSelectorTerms, {}] };
    expect((await asked(changed({ nodeSelector: terms }, [device("a")]))).questions).toEqual([
      "arbitrary-node:patch,driver,n,a",
    ]);
  });

  it.each<[string, object]>([
    ["no node", {}],
    ["no field of a node", { nodeSelector: { nodeSelectorTerms: [{ matchFields: [] }] } }],
    ["another field", term({ key: "metadata.uid", operator: "In", values: ["near"] })],
    ["all nodes but one", term({ key: "metadata.name", operator: "NotIn", values: ["near"] })],
    ["two nodes", term({ key: "metadata.name", operator: "In", values: ["near", "far"] })],
    ["no list of nodes", term({ key: "metadata.name", operator: "In", values: "near" })],
    ["two fields", term(nearNode, nearNode)],
    ["other labels", { nodeSelector: { nodeSelectorTerms: [{ matchFields: [nearNode], matchExpressions: [{}] }] } }],
    ["two terms", { nodeSelector: { nodeSelectorTerms: [{ matchFields: [nearNode] }, { matchFields: [nearNode] }] } }],
  ])("is associated with no node if allocated on %s", async (_what, allocation) => {
    const object = claim({ allocation, devices: [device("a")] });
    const { questions, messages } = await asked({ object, old: claim({ allocation }) });
    expect(questions).toEqual(["arbitrary-node:patch,driver,n,a"]);
    expect(messages).toEqual([
      expect.stringMatching(
        /^status.devices: changing status.devices requires .* verb="\[arbitrary-node:patch\]" permission: /,
      ),
    ]);
  });

  it("checks only drivers whose devices are added, changed or removed", async () => {
    const drivers = async (next: object[], before: object[]) => {
      const allocation = {};
      const write = { object: claim({ allocation, devices: next }), old: claim({ allocation, devices: before }) };
      return (await asked(write)).questions.map((question) => question.split(",").at(-1));
    };
    expect(await drivers([device("a")], [device("a")])).toEqual([]);
    expect(await drivers([device("a", { data: {} })], [device("a")])).toEqual(["a"]);
    expect(await drivers([], [device("a")])).toEqual(["a"]);
    expect(await drivers([device("a"), device("b", { shareID: "1" })], [device("a"), device("b")])).toEqual(["b"]);
  });
});

describe("admin access", () => {
  const devices = (adminAccess: boolean) => ({ devices: { requests: [{}, { exactly: { adminAccess } }] } });
  const refusal =
    "requests[1].adminAccess: admin access to devices requires the `resource.kubernetes.io/admin-access: true` label on the containing namespace";

  it("can be requested in a labelled namespace", async () => {
    const labels = { "resource.kubernetes.io/admin-access": "true" };
    for (const [resource, spec] of [
      ["resourceclaims", devices(true)],
      ["resourceclaimtemplates", { spec: devices(true) }],
    ] as const) {
      const write = { part: "main", object: claim({}, spec) } as const;
      expect((await asked(write, { resource })).messages).toEqual([`spec.devices.${refusal}`]);
      expect((await asked(write, { resource, labels })).messages).toEqual([]);
      expect((await asked({ ...write, old: claim({}, spec) }, { resource })).messages).toEqual([]);
    }
    expect((await asked({ part: "main", object: claim({}, devices(false)) })).messages).toEqual([]);
  });

  it("is also granted in such a namespace", async () => {
    const results = { allocation: { devices: { results: [device("a", { adminAccess: true })] } } };
    const path = "status.allocation.devices.results[0].adminAccess";
    expect((await asked({ object: claim(results), old: claim({}) }, { allowed: ["patch"] })).messages?.[0]).toContain(
      path,
    );
    expect((await asked({ object: claim(results), old: claim(results) })).messages).toEqual([]);
  });

  it("names the first request for it", async () => {
    const object = claim({}, { devices: { requests: [{ exactly: { adminAccess: true } }] } });
    expect((await asked({ part: "main", object })).messages?.[0]).toMatch(/^spec.devices.requests\[0\].adminAccess: /);
  });
});
