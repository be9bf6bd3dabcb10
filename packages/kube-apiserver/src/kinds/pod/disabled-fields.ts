import { isRecord, type KubeObject } from "@kubewright/apimachinery";
import type { KindStrategy, StrategyContext } from "@kubewright/apiserver/registry";
import type { Random } from "@kubewright/clock";

type Members = Record<string, unknown>;

const membersOf = (value: unknown): Members => (isRecord(value) ? value : {});
const listOf = (value: unknown): Members[] => (Array.isArray(value) ? value.filter(isRecord) : []);

/**
 * Returns a strategy that, before validation, also drops those fields in a pod's spec whose features are disabled by
 * default.
 *
 * @param specOf returns the specification of the pod, or of the pod template in the object
 * @see kubernetes pkg/api/pod DropDisabledTemplateFields
 */
export function withoutDisabledPodFields<T extends KubeObject>(
  strategy: KindStrategy<T>,
  specOf: (object: Members) => unknown,
): KindStrategy<T> {
  const drop = (object: T): void => dropDisabledFields(membersOf(specOf(membersOf(object))));
  return {
    ...strategy,
    prepareForCreate(object: T, context: StrategyContext, random: Random) {
      drop(object);
      strategy.prepareForCreate?.(object, context, random);
    },
    prepareForUpdate(object: T, old: Readonly<T>, context: StrategyContext) {
      drop(object);
      strategy.prepareForUpdate?.(object, old, context);
    },
  };
}

function dropDisabledFields(spec: Members): void {
  delete spec.evictionResponders;
  for (const part of ["containers", "initContainers", "ephemeralContainers"])
    for (const container of listOf(spec[part])) dropFromContainer(container);
  for (const volume of listOf(spec.volumes)) dropFromVolume(volume);
}

function dropFromContainer(container: Members): void {
  for (const mount of listOf(container.volumeMounts)) delete mount.bindMountOptions;
  const { postStart, preStop } = membersOf(container.lifecycle);
  const { livenessProbe, readinessProbe, startupProbe } = container;
  for (const handler of [livenessProbe, readinessProbe, startupProbe, postStart, preStop]) {
    const { httpGet, grpc } = membersOf(handler);
    delete membersOf(httpGet).protocol;
    delete membersOf(grpc).mode;
  }
}

function dropFromVolume({ emptyDir, projected, ...sources }: Members): void {
  delete membersOf(emptyDir).mode;
  delete membersOf(projected).defaultUser;
  const groups = [sources, ...listOf(membersOf(projected).sources)];
  for (const group of groups)
    for (const source of [group.configMap, group.secret, group.downwardAPI]) {
      delete membersOf(source).defaultUser;
      for (const item of listOf(membersOf(source).items)) delete item.user;
    }
  for (const group of groups)
    for (const source of [group.serviceAccountToken, group.clusterTrustBundle, group.podCertificate])
      delete membersOf(source).user;
}

/**
 * Drops the `scheduling` field from a Job's specification, because the WorkloadWithJob feature is disabled by default.
 */
export function dropScheduling(spec: { scheduling?: unknown } | undefined): void {
  delete spec?.scheduling;
}
