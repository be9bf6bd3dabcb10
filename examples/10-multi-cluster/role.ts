const configMaps = { apiGroups: [""], resources: ["configmaps"] };

/** The permissions of the program in the hub. */
export const hubRole = {
  metadata: { name: "copy-from-hub" },
  rules: [{ ...configMaps, verbs: ["list", "watch"] }],
};

/**
 * The permissions of the program in a member. Applying an object that does not
 * exist needs `create` and `patch`.
 */
export const memberRole = {
  metadata: { name: "copy-to-member" },
  rules: [
    { ...configMaps, verbs: ["list", "watch", "create", "patch", "delete"] },
  ],
};
