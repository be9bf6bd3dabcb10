/** The exact permissions of the controller. */
export const role = {
  metadata: { name: "network-controller" },
  rules: [
    {
      apiGroups: ["samplecrd.k8s.io"],
      resources: ["networks"],
      verbs: ["list", "watch"],
    },
    {
      apiGroups: ["events.k8s.io"],
      resources: ["events"],
      verbs: ["create", "patch"],
    },
  ],
};
