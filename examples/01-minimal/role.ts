/**
 * The exact permissions of the controller. Applying an object that does not
 * exist needs `create` and `patch`.
 */
export const role = {
  metadata: { name: "site-controller" },
  rules: [
    {
      apiGroups: ["shop.example.com"],
      resources: ["sites"],
      verbs: ["list", "watch"],
    },
    {
      apiGroups: ["shop.example.com"],
      resources: ["sites/status"],
      verbs: ["patch"],
    },
    {
      apiGroups: ["apps"],
      resources: ["deployments"],
      verbs: ["list", "watch", "create", "patch"],
    },
  ],
};
