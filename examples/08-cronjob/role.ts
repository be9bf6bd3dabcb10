/**
 * The exact permissions of the controller. The conversion webhook sends no
 * requests to the API server.
 */
export const role = {
  metadata: { name: "cronjob-controller" },
  rules: [
    {
      apiGroups: ["batch.tutorial.kubewright.dev"],
      resources: ["cronjobs"],
      verbs: ["list", "watch"],
    },
    {
      apiGroups: ["batch.tutorial.kubewright.dev"],
      resources: ["cronjobs/status"],
      verbs: ["patch"],
    },
    {
      apiGroups: ["batch"],
      resources: ["jobs"],
      verbs: ["list", "watch", "create", "delete"],
    },
  ],
};
