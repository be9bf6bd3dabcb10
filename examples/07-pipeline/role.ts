const kept = ["list", "watch", "create", "patch"];

/** What the controller may do, and all that it does. To apply what is not there yet is `create` and `patch`. */
export const role = {
  metadata: { name: "pipeline-controller" },
  rules: [
    { apiGroups: ["distri-infer.ndsl.cn"], resources: ["pipelines"], verbs: ["list", "watch", "update"] },
    { apiGroups: ["distri-infer.ndsl.cn"], resources: ["pipelines/status"], verbs: ["patch"] },
    { apiGroups: [""], resources: ["persistentvolumes"], verbs: ["create", "patch", "delete"] },
    { apiGroups: [""], resources: ["persistentvolumeclaims"], verbs: kept },
    { apiGroups: [""], resources: ["services"], verbs: [...kept, "delete"] },
    { apiGroups: ["apps"], resources: ["deployments"], verbs: [...kept, "delete"] },
  ],
};
