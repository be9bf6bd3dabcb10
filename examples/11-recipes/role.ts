// #region role
/** The exact permissions of the controller. */
export const role = {
  metadata: { name: "shop-controller" },
  rules: [
    {
      apiGroups: ["recipes.example.com"],
      resources: ["shops"],
      verbs: ["list", "watch", "update"],
    },
    {
      apiGroups: ["recipes.example.com"],
      resources: ["shops/status"],
      verbs: ["patch"],
    },
    { apiGroups: [""], resources: ["configmaps"], verbs: ["list", "watch"] },
    {
      apiGroups: ["events.k8s.io"],
      resources: ["events"],
      verbs: ["create", "patch"],
    },
  ],
};
// #endregion role
