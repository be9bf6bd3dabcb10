import type { AdmissionPlugin } from "@kubewright/apiserver/admission";
import { describe, expect, it } from "vitest";
import { selectionErrors, selectPlugins } from "./plugin-selection.ts";

const plugin = (name: string): AdmissionPlugin => ({ name, handles: () => true });
const namesOf = (plugins: readonly AdmissionPlugin[]): string[] => plugins.map(({ name }) => name);

describe("selectPlugins", () => {
  const builtIn = ["ResourceQuota", "AlwaysDeny", "Priority", "MutatingAdmissionWebhook", "LimitRanger"].map(plugin);

  it("keeps kube-apiserver's order, and puts the user's own before policies and webhooks", () => {
    expect(namesOf(selectPlugins(builtIn, {}, [plugin("mine")]))).toEqual([
      "LimitRanger",
      "Priority",
      "mine",
      "MutatingAdmissionWebhook",
      "ResourceQuota",
    ]);
  });

  it("enables and disables plugins by name", () => {
    const selection = { enable: ["AlwaysDeny"], disable: ["LimitRanger", "MutatingAdmissionWebhook"] };
    expect(namesOf(selectPlugins(builtIn, selection))).toEqual(["Priority", "ResourceQuota", "AlwaysDeny"]);
  });

  it("rejects unknown names, and ones both enabled and disabled, with kube-apiserver's messages", () => {
    expect(selectionErrors({ enable: ["No", "Priority"], disable: ["Nix", "Priority"] })).toEqual([
      'enable-admission-plugins plugin "No" is unknown',
      'disable-admission-plugins plugin "Nix" is unknown',
      "[Priority] in enable-admission-plugins and disable-admission-plugins overlapped",
    ]);
    expect(() => selectPlugins(builtIn, { enable: ["No"] })).toThrow('enable-admission-plugins plugin "No" is unknown');
    expect(() => selectPlugins(builtIn, { enable: ["EventRateLimit"] })).toThrow("is not part of this server");
  });

  it("rejects a built-in plugin that is missing in the order, even a single one and a disabled one", () => {
    const message = `admission plugin "Novel" is not a plugin of kube-apiserver`;
    expect(() => selectPlugins([plugin("Novel")])).toThrow(message);
    expect(() => selectPlugins([...builtIn, plugin("Novel")], { disable: ["Priority"] })).toThrow(message);
  });
});

/** @see kubernetes pkg/kubeapiserver/options AllOrderedPlugins, DefaultOffAdmissionPlugins */
it("knows kube-apiserver's plugins, their order, and which are enabled", () => {
  const on =
    "NamespaceLifecycle LimitRanger ServiceAccount TaintNodesByCondition PodSecurity Priority DefaultTolerationSeconds " +
    "DefaultStorageClass StorageObjectInUseProtection PodGroupProtection PersistentVolumeClaimResize RuntimeClass " +
    "CertificateApproval CertificateSigning ClusterTrustBundleAttest CertificateSubjectRestriction DefaultIngressClass " +
    "PodTopologyLabels NodeDeclaredFeatureValidator PodResizeValidator " +
    "MutatingAdmissionPolicy MutatingAdmissionWebhook ValidatingAdmissionPolicy ValidatingAdmissionWebhook ResourceQuota";
  const off =
    "AlwaysAdmit NamespaceAutoProvision NamespaceExists LimitPodHardAntiAffinityTopology NodeRestriction AlwaysPullImages " +
    "ImagePolicyWebhook PodNodeSelector PodTolerationRestriction EventRateLimit ExtendedResourceToleration " +
    "OwnerReferencesPermissionEnforcement DenyServiceExternalIPs AlwaysDeny";
  const all = [...on.split(" "), ...off.split(" ")].sort().map(plugin);
  expect(namesOf(selectPlugins(all, {})).join(" ")).toBe(on);
  for (const name of off.split(" ")) expect(namesOf(selectPlugins(all, { enable: [name] }))).toContain(name);
  const everything = namesOf(selectPlugins(all, { enable: off.split(" ") }));
  expect([everything.length, everything[0], everything.at(-1)]).toEqual([39, "AlwaysAdmit", "AlwaysDeny"]);
  expect(everything.slice(1, 11).join(" ")).toBe(
    "NamespaceAutoProvision NamespaceLifecycle NamespaceExists LimitPodHardAntiAffinityTopology LimitRanger ServiceAccount " +
      "NodeRestriction TaintNodesByCondition AlwaysPullImages ImagePolicyWebhook",
  );
});
