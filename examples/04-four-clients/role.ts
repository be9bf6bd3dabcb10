/**
 * The exact permissions of the program. Every authenticated user may use
 * discovery.
 */
export const role = {
  metadata: { name: "four-clients" },
  rules: [
    { apiGroups: [""], resources: ["pods"], verbs: ["get", "list"] },
    { apiGroups: ["apps"], resources: ["replicasets"], verbs: ["get"] },
  ],
};
