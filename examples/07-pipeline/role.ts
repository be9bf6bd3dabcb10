const kept = ["list", "watch", "create", "patch"];

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
      resources: ["persistentvolumes"],
      verbs: ["create", "patch", "delete"],
    },
    { apiGroups: [""], resources: ["persistentvolumeclaims"], verbs: kept },
    { apiGroups: [""], resources: ["services"], verbs: [...kept, "delete"] },
    {
      apiGroups: ["apps"],
      resources: ["deployments"],
      verbs: [...kept, "delete"],
    },
  ],
};
