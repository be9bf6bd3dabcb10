/** The exact permissions of the controller. */
export const role = {
  metadata: { name: "playbook-controller" },
  rules: [
    {
      apiGroups: ["plays.example.com"],
      resources: ["playbooks"],
      verbs: ["list", "watch", "delete"],
    },
  ],
};
