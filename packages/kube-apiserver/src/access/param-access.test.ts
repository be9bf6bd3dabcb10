import type { ParamReader } from "@kubewright/apiserver/admission";
import type { AuthorizationAttributes } from "@kubewright/apiserver/authorization";
import type { CheckedWrite, ReadonlyObject } from "@kubewright/apiserver/registry";
import { describe, expect, it } from "vitest";
import { paramAccess } from "./param-access.ts";

const secrets = { apiVersion: "v1", kind: "Secret" };
const policy = (paramKind?: object): CheckedWrite["object"] => ({
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "ValidatingAdmissionPolicy",
  metadata: { name: "p" },
  spec: { ...(paramKind ? { paramKind } : {}) },
});
const binding = (paramRef?: object): CheckedWrite["object"] => ({
  ...policy(),
  spec: { policyName: "p", ...(paramRef ? { paramRef } : {}) },
});
const resourceOf = ({ kind }: { kind?: string }) => (kind === "Secret" ? { resource: "secrets" } : undefined);
const reader = { resourceOf } as unknown as ParamReader;

async function asked(
  plural: string,
  write: Pick<CheckedWrite, "object"> & Partial<CheckedWrite>,
  {
    allow = false,
    stored = policy(secrets),
    groups = ["dev"],
  }: { allow?: boolean; stored?: ReadonlyObject | undefined; groups?: string[] } = {},
) {
  const questions: string[] = [];
  const authorize = ({ verb, group, version, resource, namespace, name }: AuthorizationAttributes) => {
    questions.push([verb, group, version, resource, namespace, name].join());
    return allow ? ({ decision: "allow" } as const) : ({ decision: "no opinion" } as const);
  };
  const checks = paramAccess(authorize, reader, async () => stored);
  const user = { name: "ed", groups, extra: { b: ["x", "y"], a: [] } };
  const context = { user, nowMs: 0, namespace: "", dryRun: false, warn() {} };
  const check = checks.get(`${plural}.admissionregistration.k8s.io`);
  const errors = await check?.({ part: "main", context, ...write });
  return { questions, errors: errors?.map(({ field, detail }) => `${field}: ${detail}`) };
}

describe("parameters of a policy", () => {
  it("can be read by users who may get all objects of their kind", async () => {
    const { questions, errors } = await asked("validatingadmissionpolicies", { object: policy(secrets) });
    expect(questions).toEqual(["get,,v1,secrets,*,*"]);
    expect(errors).toEqual([
      'spec.paramKind: user "ed" must have "get" permission on all objects of the referenced paramKind (kind=Secret, apiVersion=v1)',
    ]);
    expect((await asked("mutatingadmissionpolicies", { object: policy(secrets) }, { allow: true })).errors).toEqual([]);
  });

  it("of an unserved kind may be anything in its group", async () => {
    const { questions } = await asked("validatingadmissionpolicies", {
      object: policy({ apiVersion: "a.b/v2", kind: "C" }),
    });
    expect(questions).toEqual(["get,a.b,v2,*,*,*"]);
  });

  it("are checked again when the kind changes, but not for unrestricted users or a status", async () => {
    const same = { object: policy(secrets), old: policy({ ...secrets }) };
    expect((await asked("validatingadmissionpolicies", same)).questions).toEqual([]);
    for (const before of [
      { ...secrets, kind: "Other" },
      { ...secrets, apiVersion: "v2" },
    ])
      expect((await asked("validatingadmissionpolicies", { ...same, old: policy(before) })).questions).toHaveLength(1);
    expect((await asked("validatingadmissionpolicies", { ...same, old: policy() })).questions).toHaveLength(1);
    expect((await asked("validatingadmissionpolicies", { object: policy() })).questions).toEqual([]);
    expect((await asked("validatingadmissionpolicies", { object: policy(secrets), part: "status" })).questions).toEqual(
      [],
    );
    const privileged = await asked(
      "validatingadmissionpolicies",
      { object: policy(secrets) },
      { groups: ["system:masters"] },
    );
    expect(privileged.questions).toEqual([]);
  });
});

describe("parameters of a binding", () => {
  const named = { name: "s", namespace: "n" };
  it("can be read by users who may get the one, or list the others, in their namespace", async () => {
    const one = await asked("validatingadmissionpolicybindings", { object: binding(named) });
    expect(one.questions).toEqual(["get,,v1,secrets,n,s"]);
    expect(one.errors?.[0]).toContain('does not have "get" permission on the object referenced by paramRef');
    const others = await asked("validatingadmissionpolicybindings", { object: binding({ selector: {} }) });
    expect(others.questions).toEqual(["list,,v1,secrets,,"]);
    expect((await asked("validatingadmissionpolicybindings", { object: binding() })).questions).toEqual([]);
  });

  it("are checked on every change", async () => {
    const unchanged = { object: binding(named), old: binding(named) };
    expect((await asked("mutatingadmissionpolicybindings", unchanged)).questions).toHaveLength(1);
    expect(
      (await asked("mutatingadmissionpolicybindings", unchanged, { groups: ["system:masters"] })).questions,
    ).toEqual([]);
  });

  it("of a missing policy, or of an unserved kind, may be anything", async () => {
    const { questions, errors } = await asked(
      "validatingadmissionpolicybindings",
      { object: binding(named) },
      { stored: policy() },
    );
    expect(questions).toEqual(["get,*,*,*,n,s"]);
    expect(errors?.[0]).toContain("permission on the object referenced by paramRef");
    const unknown = { stored: policy({ apiVersion: "a.b/v1", kind: "C" }) };
    const unresolved = await asked("validatingadmissionpolicybindings", { object: binding(named) }, unknown);
    expect(unresolved.questions).toEqual(["get,a.b,v1,*,n,s"]);
    expect(unresolved.errors?.[0]).toMatch(/^spec.paramRef: unable to resolve paramKind &{a.b\/v1 C} to determine/);
    const groupless = { stored: policy({ apiVersion: "/v1", kind: "C" }) };
    const odd = await asked("validatingadmissionpolicybindings", { object: binding(named) }, groupless);
    expect(odd.questions).toEqual(["get,,v1,*,n,s"]);
    const empty: ReadonlyObject = { ...policy(), spec: undefined };
    const nothing = await asked("validatingadmissionpolicybindings", { object: binding(named) }, { stored: empty });
    expect(nothing.questions).toEqual(["get,*,*,*,n,s"]);
  });
});
