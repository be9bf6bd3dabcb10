import { type DeepReadonly, keyOf } from "@kubewright/apimachinery";
import { Client, Connection } from "@kubewright/client";
import type { Pod } from "@kubewright/client/kinds";
import { silentLogger } from "@kubewright/log";
import type { ConditionStatus } from "../api/conditions.ts";
import { State } from "../api/status.ts";
import type { CnfModule } from "../cnf/cnf-api.ts";
import { messageOf } from "../cnf/cnf-error.ts";
import { CnfScope, everyNamespace, ownNamespace } from "../cnf/cnf-scope.ts";
import { connectTo } from "../cnf/connect.ts";
import { AmbiguousCnfError, type Cnf, findCnf } from "../cnf/discovery.ts";
import { endpointOf } from "../cnf/endpoint.ts";
import { byPurpose } from "../cnf/indexes.ts";
import { nameOf } from "../cnf/session/change.ts";
import type { CompositeKind, CompositeObject } from "../composites/composite-kind.ts";
import { compositeKinds } from "../composites/composite-kinds.ts";
import { masked } from "../masking/mask.ts";
import { effectiveIn, heldMessage, ineffectiveMessage } from "../reporting/conditions.ts";
import { RuleSecrets } from "../secrets/rule-secrets.ts";
import type { Flow } from "../trace/flow.ts";
import { reportedCnf } from "../trace/reported-cnf.ts";
import type { UciObject } from "../uci/uci-object.ts";
import { findings, type Held, heldBy, unmanaged } from "./comparison.ts";
import { type DesiredObject, desiredObjects } from "./desired-objects.ts";
import { exported } from "./exported.ts";
import type { InspectFlags } from "./inspect-flags.ts";
import { ListedCluster } from "./listed-cluster.ts";
import { type Report, reportText, structured, type TracedPod, traceReport, traceText } from "./report.ts";
import { UserError } from "./user-error.ts";

/**
 * Exit code: 0 if the state is as expected, 1 if it differs, 3 if the cluster or a pod cannot be reached. User errors
 * are thrown and result in exit code 2.
 */
export type InspectExit = 0 | 1 | 3;

export interface InspectOutput {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

interface Inspected {
  readonly reader: ListedCluster;
  readonly cnf: Cnf;
  /** The desired objects for the first pod. The resources are the same for all pods. */
  readonly desired: readonly DesiredObject[];
  readonly pods: readonly InspectedPod[];
  readonly composites: readonly DeepReadonly<CompositeObject>[];
}

interface InspectedPod {
  readonly pod: DeepReadonly<Pod>;
  /** The desired objects for this pod. */
  readonly desired: readonly DesiredObject[];
  /** Objects of the pod, or the reason why it did not respond. */
  readonly held: Held | { readonly unreachable: string };
  /** The pod's report about its running system, for `trace`. */
  readonly modules: readonly CnfModule[];
}

/**
 * Prints the state of a CNF without changing anything.
 *
 * @throws {UserError} unless exactly one CNF has the purpose
 */
export async function inspect(flags: InspectFlags, { out, err }: InspectOutput): Promise<InspectExit> {
  const connection = flags.kubeconfig ? Connection.fromKubeConfig(flags.kubeconfig) : Connection.fromDefault();
  const client = new Client({ connection });
  try {
    const inspected = await look(new ListedCluster(client), flags);
    if (flags.flow) return traceAll(inspected, flags, flags.flow, { out, err });
    return await (flags.command === "export" ? exportAll : show)(inspected, flags, { out, err });
  } finally {
    await client.close();
    await connection.close();
  }
}

async function look(reader: ListedCluster, flags: InspectFlags): Promise<Inspected> {
  const { purpose, namespace, cnfScheme, cnfPort } = flags;
  const cnf = await findCnf(reader, purpose, { namespace, scope: namespace ? ownNamespace : everyNamespace }).catch(
    (error: unknown) => {
      if (error instanceof AmbiguousCnfError) throw new UserError(`${error.message}: choose one with --namespace`);
      throw error;
    },
  );
  if (!cnf)
    throw new UserError(
      `--purpose ${purpose}: no CNF has this purpose${namespace ? ` in namespace ${namespace}` : ""}`,
    );
  const scope = CnfScope.from(flags.cnfNamespaces);
  const ruleSecrets = new RuleSecrets();
  const desiredOf = (pod: DeepReadonly<Pod> | undefined) =>
    desiredObjects(reader, purpose, cnf, scope, ruleSecrets, pod);
  const inspections = cnf.pods.map(async (pod): Promise<InspectedPod> => {
    const desired = await desiredOf(pod);
    try {
      const endpoint = await endpointOf(reader, pod, { scheme: cnfScheme, port: cnfPort });
      const api = connectTo(endpoint, silentLogger);
      const read = async (): Promise<Pick<InspectedPod, "held" | "modules">> => ({
        held: await heldBy(api),
        modules: flags.flow ? await api.status(new AbortController().signal) : [],
      });
      return { pod, desired, ...(await read().finally(() => api.close())) };
    } catch (error) {
      const secrets = desired.flatMap((each) => each.secrets);
      return { pod, desired, held: { unreachable: masked(messageOf(error), secrets) }, modules: [] };
    }
  });
  const pods = await Promise.all(inspections);
  const composites = flags.command === "status" ? await compositesOf(reader, purpose, cnf, scope) : [];
  return { reader, cnf, desired: pods[0]?.desired ?? (await desiredOf(undefined)), pods, composites };
}

async function compositesOf(
  reader: ListedCluster,
  purpose: string,
  { deployment }: Cnf,
  scope: CnfScope,
): Promise<readonly DeepReadonly<CompositeObject>[]> {
  const kinds: readonly CompositeKind[] = compositeKinds;
  const lists = kinds.map(({ kind }) => reader.list<CompositeObject>(kind, { fields: { [byPurpose]: purpose } }));
  const { namespace } = deployment.metadata;
  return (await Promise.all(lists)).flat().filter(({ metadata }) => scope.allows(metadata.namespace, namespace));
}

function compositeLine(
  composite: DeepReadonly<CompositeObject>,
  secrets: readonly (string | undefined)[],
): Report["resources"][number] {
  const ready = composite.status?.conditions?.find(({ type }) => type === "Ready");
  return {
    resource: `${composite.kind} ${keyOf(composite)}`,
    state: ready?.status === "True" ? State.inSync : (ready?.reason ?? "None"),
    ...effectOf(composite.status),
    message: masked(ready?.message || ineffectiveMessage(composite.status), secrets),
  };
}

function effectOf(status: DeepReadonly<ConditionStatus> | undefined): { effective?: string } {
  const effective = effectiveIn(status)?.status;
  return effective === undefined ? {} : { effective };
}

function show({ cnf, desired, pods, composites }: Inspected, flags: InspectFlags, { out }: InspectOutput): InspectExit {
  const report: Report = {
    purpose: flags.purpose,
    cnf: keyOf(cnf.deployment),
    resources: [
      ...composites.map((composite) =>
        compositeLine(
          composite,
          desired.flatMap(({ secrets }) => secrets),
        ),
      ),
      ...desired.map(({ kind, rule, secrets }) => ({
        resource: `${kind.kind.kind} ${keyOf(rule)}`,
        state: rule.status?.state ?? "None",
        ...effectOf(rule.status),
        ...(heldMessage(rule) === undefined ? {} : { held: true as const }),
        ...(rule.status?.stageWait ? { waitsForStage: rule.status.stageWait.forStage } : {}),
        message: masked(rule.status?.message || ineffectiveMessage(rule.status), secrets),
      })),
    ],
    pods: pods.map(({ pod, desired: own, held }) => {
      const stage = cnf.stages?.find((each) => each.pods.includes(pod))?.stage;
      const base = { pod: keyOf(pod), ...(stage === undefined ? {} : { stage }) };
      return "unreachable" in held ? { ...base, ...held } : { ...base, objects: findings(held, own, stage) };
    }),
  };
  out(reportText(report, flags));
  if (report.pods.some((pod) => "unreachable" in pod)) return 3;
  const matches =
    flags.command === "status"
      ? report.resources.every(({ state }) => state === "In Sync")
      : report.pods.every((pod) => pod.objects?.every(({ verdict }) => verdict === "same" || verdict === "unmanaged"));
  return matches ? 0 : 1;
}

function traceAll({ cnf, pods }: Inspected, flags: InspectFlags, flow: Flow, { out }: InspectOutput): InspectExit {
  const traced = pods.map(({ pod, desired, held, modules }): TracedPod => {
    const resources = desired.filter(({ isBeingDeleted }) => !isBeingDeleted);
    return { pod: keyOf(pod), cnf: "unreachable" in held ? held : reportedCnf(pod, held, resources, modules) };
  });
  const report = traceReport(flags.purpose, keyOf(cnf.deployment), flow, traced);
  out(flags.output === "table" ? traceText(report) : structured(report, flags.output));
  if (report.traces.some((trace) => "unreachable" in trace)) return 3;
  const isAccepted = report.traces.every((trace) => "verdict" in trace && trace.verdict.action === "accepted");
  return isAccepted && report.traces.length > 0 ? 0 : 1;
}

async function exportAll(
  { reader, pods }: Inspected,
  flags: InspectFlags,
  { out, err }: InspectOutput,
): Promise<InspectExit> {
  const resources = new Map<string, object>();
  const failures = new Set<string>();
  let isComplete = true;
  for (const { pod, desired, held } of pods) {
    if ("unreachable" in held) {
      err(`${keyOf(pod)}: ${held.unreachable}`);
      isComplete = false;
      continue;
    }
    const byPath = Map.groupBy(desired, ({ kind }) => kind.path);
    const names = new Map([...byPath].map(([path, all]) => [path, new Set(all.map(({ name }) => name))]));
    for (const [path, object] of unmanaged(held, desired)) {
      const id = masked(`${path}/${String(object.name ?? "")}`, []);
      if (resources.has(id)) continue;
      const place = placeOf(object, held.get(path) ?? [], names.get(path) ?? new Set());
      const exportedObject = await exported(path, object, { reader, pod, purpose: flags.purpose, place });
      if ("why" in exportedObject) {
        if (!failures.has(id)) err(`not exported: ${id}: ${exportedObject.why}`);
        failures.add(id);
        continue;
      }
      resources.set(id, exportedObject.resource);
      if (exportedObject.secret)
        err(
          `${id}: store its keys in the Secret ${exportedObject.resource.metadata.namespace}/${exportedObject.secret}`,
        );
    }
  }
  out(reportText({ resources: [...resources.values()] }, flags));
  if (!isComplete) return 3;
  return failures.size > 0 ? 1 : 0;
}

/** Returns the place of an object in relation to the first object of a resource, or to the beginning. */
function placeOf(object: UciObject, objects: readonly UciObject[], names: ReadonlySet<string>): number {
  return objects.indexOf(object) - objects.findIndex((each) => names.has(nameOf(each)));
}
