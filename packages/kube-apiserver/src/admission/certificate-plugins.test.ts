import type { AuthorizationAttributes } from "@kubewright/apiserver/authorization";
import { expect, it } from "vitest";
import {
  certificateApproval,
  certificateSigning,
  certificateSubjectRestriction,
  clusterTrustBundleAttest,
} from "./certificate-plugins.ts";
import { objectOf, refusal, resourceOf } from "./testing/attributes.ts";

const requests = resourceOf("certificatesigningrequests", "certificates.k8s.io");
const signer = "example.com/own";
const csr = (more: object = {}, signerName: unknown = signer) => objectOf({ spec: { signerName }, ...more });

/** Returns an authorizer that grants one verb for one name. */
function granting(verb: string, name: string) {
  const asked: AuthorizationAttributes[] = [];
  const authorize = (attributes: AuthorizationAttributes) => {
    asked.push(attributes);
    const isGranted = attributes.verb === verb && attributes.name === name;
    return { decision: isGranted ? ("allow" as const) : ("no opinion" as const) };
  };
  return { asked, authorize };
}

const why = (text: string) => `certificatesigningrequests.certificates.k8s.io "web" is forbidden: ${text}`;
const notToApprove = why(`user not permitted to approve requests with signerName "${signer}"`);
const notToSign = why(`user not permitted to sign requests with signerName "${signer}"`);

/** @see kubernetes pkg/certauthorization IsAuthorizedForSignerName */
it.each([
  ["for the signer", "approve", signer, undefined],
  ["for all of the domain", "approve", "example.com/*", undefined],
  ["for another signer", "approve", "example.com/other", notToApprove],
  ["for another domain", "approve", "other.com/*", notToApprove],
  ["for all", "approve", "*", notToApprove],
  ["to sign", "sign", signer, notToApprove],
])("a user allowed %s can approve, or not", async (_what, verb, name, expected) => {
  const { authorize, asked } = granting(verb, name);
  const update = { operation: "UPDATE", resource: requests, subresource: "approval" } as const;
  expect(await refusal(certificateApproval(authorize), { ...update, object: csr(), oldObject: csr() })).toBe(expected);
  expect(asked[0]).toEqual({
    user: { name: "jane", groups: [] },
    verb: "approve",
    isResourceRequest: true,
    path: "",
    group: "certificates.k8s.io",
    version: "*",
    resource: "signers",
    subresource: "",
    namespace: "",
    name: signer,
  });
  expect(asked.slice(1).map((each) => each.name)).toEqual(
    name === signer && verb === "approve" ? [] : ["example.com/*"],
  );
});

it("uses the signer of the existing request", async () => {
  const { authorize } = granting("approve", "example.com/new");
  const update = { operation: "UPDATE", resource: requests, subresource: "approval" } as const;
  const changed = { ...update, object: csr({}, "example.com/new"), oldObject: csr() };
  expect(await refusal(certificateApproval(authorize), changed)).toBe(notToApprove);
  expect(await refusal(certificateApproval(authorize), { ...update, oldObject: csr({}, 1) })).toBe(
    why('user not permitted to approve requests with signerName ""'),
  );
});

it.each([
  ["the status", requests, "status"],
  ["the request", requests, ""],
  ["another group's", resourceOf("certificatesigningrequests", "example.com"), "approval"],
  ["another kind", resourceOf("others", "certificates.k8s.io"), "approval"],
])("writing %s needs no permission to approve", async (_what, resource, subresource) => {
  const { authorize, asked } = granting("", "");
  const update = { operation: "UPDATE", resource, subresource, object: csr(), oldObject: csr() } as const;
  expect(await refusal(certificateApproval(authorize), update)).toBeUndefined();
  expect(asked).toEqual([]);
});

const status = (more: object) => csr({ status: more });
const approved = [{ type: "Approved", status: "True" }];
/** @see kubernetes plugin/pkg/admission/certificates/signing */
it.each([
  ["a certificate", status({ certificate: "x" }), csr(), notToSign],
  ["another certificate", status({ certificate: "x" }), status({ certificate: "y" }), notToSign],
  ["no certificate any more", status({}), status({ certificate: "y" }), notToSign],
  ["a condition", status({ conditions: approved }), status({}), notToSign],
  [
    "the same",
    status({ certificate: "x", conditions: approved }),
    status({ certificate: "x", conditions: approved }),
    undefined,
  ],
  ["something else", status({ other: 1 }), status({}), undefined],
  ["nothing", csr(), csr(), undefined],
])("writing %s needs permission to sign, or not", async (_what, object, oldObject, expected) => {
  const write = { operation: "UPDATE", resource: requests, subresource: "status", object, oldObject } as const;
  expect(await refusal(certificateSigning(granting("approve", signer).authorize), write)).toBe(expected);
  expect(await refusal(certificateSigning(granting("sign", signer).authorize), write)).toBeUndefined();
  expect(await refusal(certificateSigning(granting("sign", "example.com/*").authorize), write)).toBeUndefined();
  const { authorize } = granting("", "");
  for (const elsewhere of [{ subresource: "approval" }, { subresource: "" }, { resource: resourceOf("pods") }])
    expect(await refusal(certificateSigning(authorize), { ...write, ...elsewhere })).toBeUndefined();
});

const client = "kubernetes.io/kube-apiserver-client";
const masters = why(`use of ${client} signer with system:masters group is not allowed`);
/** @see kubernetes plugin/pkg/admission/certificates/subjectrestriction */
it.each<[string, string, readonly string[] | undefined, string | undefined]>([
  ["masters", client, ["system:masters"], masters],
  ["masters among others", client, ["a", "system:masters", "b"], masters],
  ["others", client, ["a", "system:master"], undefined],
  ["nobody", client, [], undefined],
  ["an unreadable request", client, undefined, why("failed to parse CSR: PEM block type must be CERTIFICATE REQUEST")],
  ["masters, of another signer", `${client}-kubelet`, ["system:masters"], undefined],
])("a certificate for %s can be requested, or not", async (_what, signerName, organizations, expected) => {
  const read: string[] = [];
  const plugin = certificateSubjectRestriction((request) => {
    read.push(request);
    return organizations;
  });
  const request = Buffer.from("PEM").toString("base64");
  const create = { resource: requests, object: objectOf({ spec: { signerName, request } }) };
  expect(await refusal(plugin, create)).toBe(expected);
  expect(read).toEqual(signerName === client ? ["PEM"] : []);
  for (const elsewhere of [{ subresource: "status" }, { resource: resourceOf("pods") }, { object: undefined }])
    expect(await refusal(plugin, { ...create, ...elsewhere })).toBeUndefined();
});

it("handles approving and signing as updates, and requesting as a creation", () => {
  const { authorize } = granting("", "");
  const plugins = [
    certificateApproval(authorize),
    certificateSigning(authorize),
    certificateSubjectRestriction(() => []),
  ];
  const operations = (["CREATE", "UPDATE", "DELETE", "CONNECT"] as const).map((each) =>
    plugins.filter((plugin) => plugin.handles(each)).map(({ name }) => name),
  );
  expect(operations).toEqual([
    ["CertificateSubjectRestriction"],
    ["CertificateApproval", "CertificateSigning"],
    [],
    [],
  ]);
  for (const { resources } of plugins) expect(resources).toEqual(["certificatesigningrequests.certificates.k8s.io"]);
});

it.each([
  ["with permission for the signer", { signer, verb: "attest" }, {}, undefined],
  ["without permission", { signer, verb: "sign" }, {}, `user not permitted to attest for signerName "${signer}"`],
  ["without a signer", { signer: "", verb: "" }, {}, undefined],
  ["that is only collected", { signer, verb: "" }, { oldObject: bundle(signer, ["f"]) }, undefined],
  [
    "that is changed",
    { signer, verb: "" },
    { oldObject: bundle("example.com/other") },
    `user not permitted to attest for signerName "${signer}"`,
  ],
])("a user writes a ClusterTrustBundle %s, or not", async (_what, { signer, verb }, more, expected) => {
  const resource = resourceOf("clustertrustbundles", "certificates.k8s.io");
  const attributes = { operation: "UPDATE", resource, object: bundle(signer), ...more } as const;
  const found = await refusal(clusterTrustBundleAttest(granting(verb, signer).authorize), attributes);
  expect(found).toBe(
    expected === undefined ? undefined : `clustertrustbundles.certificates.k8s.io "web" is forbidden: ${expected}`,
  );
});

function bundle(signerName: string, finalizers?: string[]) {
  const { metadata, ...rest } = objectOf({ spec: { signerName } });
  return { ...rest, metadata: { ...metadata, ...(finalizers ? { finalizers } : {}) } };
}
