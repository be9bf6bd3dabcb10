const kept = ["list", "watch", "create", "patch", "delete"];

/** What the controller may do, and all that it does. To apply what is not there yet is `create` and `patch`. */
export const role = {
  metadata: { name: "app-controller" },
  rules: [
    { apiGroups: ["ingress.example.com"], resources: ["apps"], verbs: ["list", "watch"] },
    { apiGroups: ["ingress.example.com"], resources: ["apps/status"], verbs: ["patch"] },
    { apiGroups: ["apps"], resources: ["deployments"], verbs: ["list", "watch", "create", "patch"] },
    { apiGroups: [""], resources: ["services"], verbs: kept },
    { apiGroups: ["networking.k8s.io"], resources: ["ingresses"], verbs: kept },
  ],
};
