/** What the controller may do, and all that it does. To apply what is not there yet is `create` and `patch`. */
export const role = {
  metadata: { name: "site-controller" },
  rules: [
    { apiGroups: ["shop.example.com"], resources: ["sites"], verbs: ["list", "watch"] },
    { apiGroups: ["shop.example.com"], resources: ["sites/status"], verbs: ["patch"] },
    { apiGroups: ["apps"], resources: ["deployments"], verbs: ["list", "watch", "create", "patch"] },
  ],
};
