const kept = ["list", "watch", "create", "patch", "delete"];

/**
 * The exact permissions of the controller. Applying an object that does not
 * exist needs `create` and `patch`.
 */
export const role = {
  metadata: { name: "pipeline-controller" },
  rules: [
    {
      apiGroups: ["distri-infer.ndsl.cn"],
      resources: ["pipelines"],
      verbs: ["list", "watch", "update"],
    },
    {
      apiGroups: ["distri-infer.ndsl.cn"],
      resources: ["pipelines/status"],
      verbs: ["patch"],
    },
    {
      apiGroups: [""],
      resources: ["persistentvolumes", "persistentvolumeclaims", "services"],
      verbs: kept,
    },
    { apiGroups: ["apps"], resources: ["deployments"], verbs: kept },
  ],
};
