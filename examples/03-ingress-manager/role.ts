/**
 * The exact permissions of the program. Applying an object that does not exist
 * needs `create` and `patch`.
 */
export const role = {
  metadata: { name: "ingress-manager" },
  rules: [
    { apiGroups: [""], resources: ["services"], verbs: ["list", "watch"] },
    {
      apiGroups: ["networking.k8s.io"],
      resources: ["ingresses"],
      verbs: ["list", "watch", "create", "patch", "delete"],
    },
  ],
};
