import { type GeneratedFile, tableModule } from "../generated-file.ts";
import { aggregate, type ClusterRole } from "./aggregated-roles.ts";
import { inOrder } from "./in-order.ts";
import type { RealServer } from "./real-server.ts";

interface StoredObject {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: { readonly matchingPrecedence?: number };
  readonly status?: unknown;
}

const rbacVersion = "rbac.authorization.k8s.io/v1";
const flowVersion = "flowcontrol.apiserver.k8s.io/v1";

/** Returns the object as a line, without the fields that the server added when it stored it. */
function asMade(apiVersion: string, kind: string, object: StoredObject): string {
  const { name, namespace, labels, annotations } = object.metadata;
  const { status: _status, ...rest } = object;
  const made = inOrder({ ...rest, apiVersion, kind, metadata: { name, namespace, labels, annotations } });
  return `${[kind, ...(namespace ? [namespace] : []), name].join("/")} ${JSON.stringify(made)}`;
}

async function listed<T extends StoredObject>(server: RealServer, apiVersion: string, resource: string) {
  return (await server.get<{ readonly items: readonly T[] }>(`/apis/${apiVersion}/${resource}`)).items;
}

export async function bootstrapRbac(server: RealServer): Promise<GeneratedFile> {
  const clusterRoles = await listed<ClusterRole>(server, rbacVersion, "clusterroles");
  aggregate(clusterRoles);
  const lines = clusterRoles.map((role) => asMade(rbacVersion, "ClusterRole", role));
  for (const kind of ["ClusterRoleBinding", "Role", "RoleBinding"]) {
    const objects = await listed(server, rbacVersion, `${kind.toLowerCase()}s`);
    lines.push(...objects.map((object) => asMade(rbacVersion, kind, object)));
  }
  return tableModule("packages/kube-apiserver/src/authorization/bootstrap-rbac-objects.ts", "kube-apiserver", [
    {
      name: "bootstrapRbacObjects",
      comment:
        "The roles and bindings that kube-apiserver creates at startup. Each line contains a name, followed by the object.",
      lines,
    },
  ]);
}

export async function bootstrapFlowControl(server: RealServer): Promise<GeneratedFile> {
  const schemas = await listed(server, flowVersion, "flowschemas");
  const levels = await listed(server, flowVersion, "prioritylevelconfigurations");
  const precedence = ({ spec }: StoredObject): number => spec?.matchingPrecedence ?? 0;
  return tableModule("packages/kube-apiserver/src/kinds/flowcontrol/bootstrap-objects.ts", "kube-apiserver", [
    {
      name: "flowSchemaObjects",
      comment:
        "The FlowSchemas that kube-apiserver creates at startup, in order of precedence. Each line contains a name, followed by the object.",
      lines: schemas
        .toSorted((a, b) => precedence(a) - precedence(b))
        .map((schema) => asMade(flowVersion, "FlowSchema", schema)),
    },
    {
      name: "priorityLevelObjects",
      comment:
        "The PriorityLevelConfigurations that kube-apiserver creates at startup. Each line contains a name, followed by the object.",
      lines: levels.map((level) => asMade(flowVersion, "PriorityLevelConfiguration", level)),
    },
  ]);
}
