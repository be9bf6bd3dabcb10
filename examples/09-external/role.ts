const leases = { apiGroups: ["coordination.k8s.io"], resources: ["leases"] };

/** The exact permissions of the controller. */
export const role = {
  metadata: { name: "device-controller" },
  rules: [
    {
      apiGroups: ["things.example.com"],
      resources: ["devices"],
      verbs: ["list", "watch", "update"],
    },
    {
      apiGroups: ["things.example.com"],
      resources: ["devices/status"],
      verbs: ["patch"],
    },
    { apiGroups: [""], resources: ["configmaps"], verbs: ["list", "watch"] },
    { ...leases, verbs: ["create"] },
    {
      ...leases,
      resourceNames: ["device-controller"],
      verbs: ["get", "update"],
    },
    {
      apiGroups: ["events.k8s.io"],
      resources: ["events"],
      verbs: ["create", "patch"],
    }, // leader election
  ],
};
