/** What the program may do, and all that it does. Everybody who is known may ask discovery. */
export const role = {
  metadata: { name: "four-clients" },
  rules: [
    { apiGroups: [""], resources: ["pods"], verbs: ["get", "list"] },
    { apiGroups: ["apps"], resources: ["replicasets"], verbs: ["get"] },
  ],
};
