/** What the controller may do, and all that it does. The webhook that converts asks the API server for nothing. */
export const role = {
  metadata: { name: "cronjob-controller" },
  rules: [
    { apiGroups: ["batch.tutorial.kubewright.dev"], resources: ["cronjobs"], verbs: ["list", "watch"] },
    { apiGroups: ["batch.tutorial.kubewright.dev"], resources: ["cronjobs/status"], verbs: ["patch"] },
    { apiGroups: ["batch"], resources: ["jobs"], verbs: ["list", "watch", "create", "delete"] },
  ],
};
