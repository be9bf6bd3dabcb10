/** What the controller may do, and all that it does. */
export const role = {
  metadata: { name: "playbook-controller" },
  rules: [{ apiGroups: ["plays.example.com"], resources: ["playbooks"], verbs: ["list", "watch", "delete"] }],
};
