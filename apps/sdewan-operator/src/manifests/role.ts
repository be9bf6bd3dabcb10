import { CNFNAT } from "../api/cnf-nat.ts";
import { CNFRoute } from "../api/cnf-route.ts";
import { CNFStatus } from "../api/cnf-status.ts";
import { group } from "../api/group.ts";
import { apiKinds } from "../kinds/api-kinds.ts";
import { webhookConfiguration } from "../webhooks/webhooks.ts";
import { type Manifest, yaml } from "./manifest.ts";

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

const read = ["get", "list", "watch"];
/** What composites are made of. */
const children = [CNFNAT.plural, CNFRoute.plural];
const plurals = apiKinds.map(({ plural }) => plural);

const rules: readonly Rule[] = [
  { apiGroups: [""], resources: ["pods"], verbs: read },
  { apiGroups: ["apps"], resources: ["deployments", "replicasets"], verbs: read },
  { apiGroups: [group], resources: plurals, verbs: [...read, "patch", "update"] },
  { apiGroups: [group], resources: children, verbs: ["create", "delete"] },
  { apiGroups: [group], resources: [CNFStatus.plural], verbs: ["create"] },
  { apiGroups: [group], resources: plurals.map((plural) => `${plural}/status`), verbs: ["get", "patch", "update"] },
  { apiGroups: ["", "events.k8s.io"], resources: ["events"], verbs: ["create", "patch"] },
  // Whom a role lets use a bucket.
  {
    apiGroups: ["rbac.authorization.k8s.io"],
    resources: ["roles", "clusterroles", "rolebindings", "clusterrolebindings"],
    verbs: read,
  },
  // The configuration of the operator's webhooks is told whom to trust.
  {
    apiGroups: ["admissionregistration.k8s.io"],
    resources: ["validatingwebhookconfigurations"],
    resourceNames: [webhookConfiguration],
    verbs: ["get", "patch"],
  },
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
