const kept = ["list", "watch", "create", "patch", "delete"];

/**
 * The exact permissions of the controller. Applying an object that does not
 * exist needs `create` and `patch`.
 */
export const role = {
  metadata: { name: "app-controller" },
  rules: [
    {
      apiGroups: ["ingress.example.com"],
      resources: ["apps"],
      verbs: ["list", "watch"],
    },
    {
      apiGroups: ["ingress.example.com"],
      resources: ["apps/status"],
      verbs: ["patch"],
    },
    {
      apiGroups: ["apps"],
      resources: ["deployments"],
      verbs: ["list", "watch", "create", "patch"],
    },
    { apiGroups: [""], resources: ["services"], verbs: kept },
    { apiGroups: ["networking.k8s.io"], resources: ["ingresses"], verbs: kept },
  ],
};
