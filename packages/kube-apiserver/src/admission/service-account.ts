import { isRecord, notFound, type StatusError } from "@kubewright/apimachinery";
import type { AdmissionAttributes, AdmissionPlugin } from "@kubewright/apiserver/admission";
import { admissionForbidden } from "@kubewright/apiserver/admission";
import type { ReadonlyObject } from "@kubewright/apiserver/registry";
import { generateName } from "@kubewright/apiserver/registry";
import type { Clock, Random } from "@kubewright/clock";
import { list, path, secretNames } from "../kinds/pod/pod-references.ts";

type FindAccount = (namespace: string, name: string) => Promise<ReadonlyObject | undefined>;
type Spec = Record<string, unknown>;

/** Returns the account of a pod. @throws {StatusError} 403 if the account does not exist */
type AccountOf = (attributes: AdmissionAttributes, spec: Spec) => Promise<ReadonlyObject>;

interface ServiceAccountParts {
  readonly find: FindAccount;
  readonly clock: Clock;
  /** Source of the names of volumes. */
  readonly random: Random;
}

const volumeName = "kube-api-access";
const mountPath = "/var/run/secrets/kubernetes.io/serviceaccount";
const enforceAnnotation = "kubernetes.io/enforce-mountable-secrets";
/** Number and interval of attempts to read the default account of a new namespace, which a controller creates. */
const waits = { tries: 10, ms: 150 } as const;

/**
 * Rejects pods whose ServiceAccount does not exist. Mounts a token for the account into each pod, and adds the account's image pull
 * secrets.
 *
 * @see kubernetes plugin/pkg/admission/serviceaccount
 */
export function serviceAccount({ find, clock, random }: ServiceAccountParts): AdmissionPlugin {
  const accountOfPod: AccountOf = (attributes, spec) => accountOf(attributes, spec, find, clock);
  const validate = async (attributes: AdmissionAttributes): Promise<void> => {
    const pod = podOf(attributes);
    if (!pod) return;
    if (attributes.operation === "UPDATE") {
      if (attributes.subresource === "ephemeralcontainers")
        await checkSecrets(attributes, pod.spec, ephemeralUses, accountOfPod);
      return;
    }
    if (pod.isMirror) return checkMirror(attributes, pod.spec);
    await checkSecrets(attributes, pod.spec, allUses, accountOfPod);
  };
  return {
    name: "ServiceAccount",
    resources: ["pods"],
    handles: (operation) => operation === "CREATE" || operation === "UPDATE",
    async admit(attributes) {
      const pod = podOf(attributes);
      if (!pod || attributes.operation !== "CREATE") return;
      if (!pod.isMirror) {
        const { spec } = pod;
        spec.serviceAccountName ||= "default";
        spec.serviceAccount = spec.serviceAccountName;
        const account = await accountOfPod(attributes, spec);
        if (isMounted(account, spec)) mountToken(spec, random);
        const pullSecrets = list(account.imagePullSecrets);
        if (list(spec.imagePullSecrets).length === 0 && pullSecrets.length > 0)
          spec.imagePullSecrets = pullSecrets.map(({ name }) => ({ name }));
      }
      await validate(attributes);
    },
    validate,
  };
}

function podOf({ resource, subresource, object }: AdmissionAttributes) {
  if (resource.group !== "" || resource.resource !== "pods") return undefined;
  if ((subresource !== "" && subresource !== "ephemeralcontainers") || object?.kind !== "Pod") return undefined;
  if (!isRecord(object.spec)) return undefined;
  return {
    spec: object.spec,
    isMirror: object.metadata.annotations?.["kubernetes.io/config.mirror"] !== undefined,
  };
}

async function accountOf(
  attributes: AdmissionAttributes,
  spec: Spec,
  find: FindAccount,
  clock: Clock,
): Promise<ReadonlyObject> {
  const { namespace, name: podName } = attributes;
  const name = typeof spec.serviceAccountName === "string" ? spec.serviceAccountName : "";
  if (name === "") throw admissionForbidden(attributes, `no service account specified for pod ${namespace}/${podName}`);
  const tries = name === "default" ? waits.tries : 1;
  for (let i = 1; ; i++) {
    const found = await find(namespace, name);
    if (found) return found;
    if (i >= tries) break;
    await clock.sleep(waits.ms);
  }
  const { message } = notFound({ group: "", resource: "serviceaccount" }, name);
  throw admissionForbidden(attributes, `error looking up service account ${namespace}/${name}: ${message}`);
}

function isMounted(account: ReadonlyObject, spec: Spec): boolean {
  const automount = spec.automountServiceAccountToken ?? account.automountServiceAccountToken;
  return automount !== false;
}

/**
 * Mounts a token into every container, except those that already have a mount at the token's path. @see kubernetes
 * mountServiceAccountToken
 */
function mountToken(spec: Spec, random: Random): void {
  const present = list(spec.volumes).find(({ name }) => String(name).startsWith(`${volumeName}-`));
  const name = typeof present?.name === "string" ? present.name : generateName(`${volumeName}-`, random);
  const containers = [...list(spec.initContainers), ...list(spec.containers)];
  const without = containers.filter((container) =>
    list(container.volumeMounts).every((mount) => mount.mountPath !== mountPath),
  );
  for (const container of without)
    Object.assign(container, { volumeMounts: [...list(container.volumeMounts), { name, readOnly: true, mountPath }] });
  if (!present && without.length > 0) spec.volumes = [...list(spec.volumes), { name, projected: tokenVolume() }];
}

const tokenVolume = () => ({
  sources: [
    { serviceAccountToken: { expirationSeconds: 3_607, path: "token" } },
    { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
    {
      downwardAPI: {
        items: [{ path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } }],
      },
    },
  ],
  defaultMode: 0o644,
});

/**
 * Checks that a mirror pod refers to no objects such as Secrets. The node itself creates mirror pods, so such a reference
 * would give the node access to these objects.
 */
function checkMirror(attributes: AdmissionAttributes, spec: Spec): void {
  const refuse = (why: string): StatusError => admissionForbidden(attributes, `a mirror pod may not ${why}`);
  if (spec.serviceAccountName) throw refuse("reference service accounts");
  if (secretNames(spec).some((name) => name !== undefined)) throw refuse("reference secrets");
  const sources = list(spec.volumes).flatMap((volume) => list(path(volume, "projected", "sources")));
  if (sources.some((source) => source.serviceAccountToken)) throw refuse("use ServiceAccountToken volume projections");
}

/** A pod's reference to a Secret, with the beginning of the error message for a rejected reference. */
interface SecretUse {
  readonly secret: unknown;
  readonly title: string;
}

async function checkSecrets(
  attributes: AdmissionAttributes,
  spec: Spec,
  uses: (spec: Spec) => readonly SecretUse[],
  accountOf: AccountOf,
): Promise<void> {
  const account = await accountOf(attributes, spec);
  if (!/^(1|t|T|TRUE|true|True)$/.test(account.metadata.annotations?.[enforceAnnotation] ?? "")) return;
  const { name } = account.metadata;
  const allowed = new Set<unknown>(list(account.secrets).map((secret) => secret.name));
  for (const { secret, title } of uses(spec))
    if (!allowed.has(secret))
      throw admissionForbidden(
        attributes,
        `${title}secret.secretName="${secret}" is not allowed because service account ${name} does not reference that secret`,
      );
  if (uses === ephemeralUses) return;
  const pulls = new Set<unknown>(list(account.imagePullSecrets).map((secret) => secret.name));
  for (const [i, secret] of list(spec.imagePullSecrets).entries())
    if (!pulls.has(secret.name))
      throw admissionForbidden(
        attributes,
        `imagePullSecrets[${i}].name="${secret.name}" is not allowed because service account ${name} does not reference that imagePullSecret`,
      );
}

const allUses = (spec: Spec): SecretUse[] => [
  ...list(spec.volumes).flatMap((volume) =>
    isRecord(volume.secret) ? [{ secret: volume.secret.secretName, title: "volume with " }] : [],
  ),
  ...containerUses(spec.initContainers, "init container"),
  ...containerUses(spec.containers, "container"),
];

const ephemeralUses = (spec: Spec): SecretUse[] => containerUses(spec.ephemeralContainers, "ephemeral container");

function containerUses(containers: unknown, kind: string): SecretUse[] {
  return list(containers).flatMap((container) => [
    ...list(container.env).flatMap((env) => {
      const secret = path(env, "valueFrom", "secretKeyRef", "name");
      const title = `${kind} ${container.name} with envVar ${env.name} referencing `;
      return secret === undefined ? [] : [{ secret, title }];
    }),
    ...list(container.envFrom).flatMap((from) => {
      const secret = path(from, "secretRef", "name");
      return secret === undefined ? [] : [{ secret, title: `${kind} ${container.name} with envFrom referencing ` }];
    }),
  ]);
}
