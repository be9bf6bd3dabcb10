import { ownMember } from "@kubewright/apimachinery";

/** Types with mutually exclusive members: for each type, the discriminator and its value for each member. */
const unions: Readonly<Record<string, readonly [discriminator: string, members: Readonly<Record<string, string>>]>> = {
  "io.k8s.api.core.v1.AppArmorProfile": ["type", { localhostProfile: "LocalhostProfile" }],
  "io.k8s.api.core.v1.PodSchedulingGroup": ["", { podGroupName: "PodGroupName" }],
  "io.k8s.api.core.v1.SeccompProfile": ["type", { localhostProfile: "LocalhostProfile" }],
  "io.k8s.api.flowcontrol.v1.LimitResponse": ["type", { queuing: "Queuing" }],
  "io.k8s.api.flowcontrol.v1.PriorityLevelConfigurationSpec": ["type", { exempt: "Exempt", limited: "Limited" }],
  "io.k8s.api.scheduling.v1alpha3.WorkloadPodGroupDisruptionMode": ["", { all: "All", single: "Single" }],
  "io.k8s.api.scheduling.v1alpha3.WorkloadPodGroupSchedulingPolicy": ["", { basic: "Basic", gang: "Gang" }],
  "io.k8s.api.flowcontrol.v1.Subject": ["kind", { group: "Group", serviceAccount: "ServiceAccount", user: "User" }],
};

/** Returns a model's `x-kubernetes-unions` extension, or an empty object if the model has no unions. */
export function unionsOf(model: string): Readonly<Record<string, unknown>> {
  const union = ownMember(unions, model);
  if (!union) return {};
  const [discriminator, members] = union;
  return {
    "x-kubernetes-unions": [
      { ...(discriminator === "" ? {} : { discriminator }), "fields-to-discriminateBy": members },
    ],
  };
}
