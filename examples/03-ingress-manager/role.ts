/** What the program may do, and all that it does. To apply what is not there yet is `create` and `patch`. */
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
