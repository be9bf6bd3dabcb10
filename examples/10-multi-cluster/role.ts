const configMaps = { apiGroups: [""], resources: ["configmaps"] };

/** What the program may do in the hub. */
export const hubRole = {
  metadata: { name: "copy-from-hub" },
  rules: [{ ...configMaps, verbs: ["list", "watch"] }],
};

/** What it may do in a member. To apply what is not there yet is `create` and `patch`. */
export const memberRole = {
  metadata: { name: "copy-to-member" },
  rules: [{ ...configMaps, verbs: ["list", "watch", "create", "patch", "delete"] }],
};
