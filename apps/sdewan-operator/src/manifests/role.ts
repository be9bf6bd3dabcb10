import { group } from "../api/group.ts";
import { apiKinds } from "../kinds/api-kinds.ts";
import { type Manifest, yaml } from "./manifest.ts";

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

const read = ["get", "list", "watch"];
const plurals = apiKinds.map(({ plural }) => plural);

const rules: readonly Rule[] = [
  { apiGroups: [""], resources: ["pods", "secrets"], verbs: read },
  { apiGroups: ["apps"], resources: ["deployments", "replicasets"], verbs: read },
  { apiGroups: [group], resources: plurals, verbs: [...read, "patch", "update"] },
  { apiGroups: [group], resources: plurals.map((plural) => `${plural}/status`), verbs: ["get", "patch", "update"] },
  { apiGroups: ["", "events.k8s.io"], resources: ["events"], verbs: ["create", "patch"] },
  // Metrics are shown only to those whom the cluster lets read them.
  { apiGroups: ["authentication.k8s.io"], resources: ["tokenreviews"], verbs: ["create"] },
  { apiGroups: ["authorization.k8s.io"], resources: ["subjectaccessreviews"], verbs: ["create"] },
];

/** What the operator may do in a cluster. */
export const roleManifest = (): Manifest => ({
  path: "config/rbac/role.yaml",
  text: yaml(
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: { name: "manager-role", annotations: { "sdewan-bucket-type-permission": '{ "*": ["*"]}' } },
      rules,
    },
    { aliasDuplicateObjects: false },
  ),
});
