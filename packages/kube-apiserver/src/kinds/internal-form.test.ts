import { fieldPath } from "@kubewright/apimachinery";
import { expect, it } from "vitest";
import { internalDiff, internalForm, unchanged } from "./internal-form.ts";

it("names members as Go does, and has them all", () => {
  expect(internalForm("RoleRef", { kind: "Role" })).toEqual({ APIGroup: "", Kind: "Role", Name: "" });
  expect(internalForm("VolumeAttachmentSpec", { source: {} })).toEqual({
    Attacher: "",
    Source: { PersistentVolumeName: null, InlineVolumeSpec: null },
    NodeName: "",
  });
});

it("keeps what a pod shares with its host in the security context", () => {
  const { SecurityContext: context } = internalForm("PodSpec", {
    hostNetwork: true,
    securityContext: { runAsUser: 1 },
  });

  expect(context).toMatchObject({ HostNetwork: true, HostPID: false, RunAsUser: 1 });
});

it("shows the metadata of templates as it is written", () => {
  const form = internalForm("PodTemplateSpec", { metadata: { labels: { a: "b" } }, spec: {} });

  expect(Object.keys(form)).toEqual(["labels", "Spec"]);
});

it("finds a change, and what it is", () => {
  const at = fieldPath("roleRef");

  expect(unchanged("RoleRef", { name: "a" }, { name: "a", kind: "" }, at)).toEqual([]);
  expect(unchanged("RoleRef", { name: "a" }, { name: "b" }, at)).toMatchObject([
    { badValue: { APIGroup: "", Kind: "", Name: "a" }, detail: "field is immutable" },
  ]);
  expect(internalDiff("RoleRef", { name: "a" }, { name: "b" })).toContain('- "Name": "a"\n+ "Name": "b"\n');
});
