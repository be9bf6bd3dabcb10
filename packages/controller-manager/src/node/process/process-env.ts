import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Pod } from "@kubewright/client/kinds";
import { ContainerConfigError } from "../container-checks.ts";
import type { PodSources, SourceData } from "../pod-sources.ts";
import { type Container, fieldValue, type PodAddresses, resourceValue } from "./downward-values.ts";
import { expand } from "./expansion.ts";

type EnvVar = NonNullable<Container["env"]>[number];
type EnvFrom = NonNullable<Container["envFrom"]>[number];

export interface EnvParts extends PodAddresses {
  readonly pod: DeepReadonly<Pod>;
  readonly container: Container;
  readonly sources: PodSources;
}

const variableName = /^[^=\0]+$/;
/** Maximum size of a container's environment, in characters. Linux accepts 2 MiB, including a program's arguments. */
const mostText = 2 * 1_024 * 1_024;

/**
 * Returns the environment variables that a container's specification defines: first the variables from `envFrom`, then
 * the individual variables, which may refer to earlier ones.
 *
 * @throws {ContainerConfigError} if an object, a key or a field does not exist, or if the variables are too long
 *
 * @see kubernetes pkg/kubelet makeEnvironmentVariables
 */
export async function processEnv(parts: EnvParts): Promise<ReadonlyMap<string, string>> {
  const env = new Map<string, string>();
  let length = 0;
  const set = (name: string, value: string): void => {
    length += name.length + value.length;
    if (length > mostText)
      throw new ContainerConfigError(`env: the variables are longer than ${mostText} characters in total`);
    env.set(name, value);
  };
  for (const each of parts.container.envFrom ?? [])
    for (const [key, value] of await wholeObject(parts, each)) {
      const name = `${each.prefix ?? ""}${key}`;
      if (variableName.test(name)) set(name, value.toString("utf8"));
    }
  for (const variable of parts.container.env ?? []) {
    const value = await variableValue(parts, variable, env);
    if (value !== undefined) set(variable.name, value);
  }
  return env;
}

async function wholeObject({ sources }: EnvParts, { configMapRef, secretRef }: EnvFrom): Promise<SourceData> {
  if (configMapRef) {
    const { name = "", optional } = configMapRef;
    return (await sources.configMap(name)) ?? absent(optional, `configmap "${name}" not found`) ?? new Map();
  }
  const { name = "", optional } = secretRef ?? {};
  return (await sources.secret(name)) ?? absent(optional, `secret "${name}" not found`) ?? new Map();
}

async function variableValue(
  { pod, container, sources, ...addresses }: EnvParts,
  { value, valueFrom }: EnvVar,
  env: ReadonlyMap<string, string>,
): Promise<string | undefined> {
  if (!valueFrom) return expand(value ?? "", env);
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef } = valueFrom;
  if (fieldRef) return fieldValue(pod, fieldRef.fieldPath, addresses);
  if (resourceFieldRef) return resourceValue(pod, container, resourceFieldRef);
  const ref = configMapKeyRef ?? secretKeyRef;
  if (!ref) throw new ContainerConfigError(`env: valueFrom ${Object.keys(valueFrom).join(", ")} is not supported`);
  const { name = "", key, optional } = ref;
  const [kind, data] = configMapKeyRef
    ? (["ConfigMap", await sources.configMap(name)] as const)
    : (["Secret", await sources.secret(name)] as const);
  if (!data) return absent(optional, `${kind.toLowerCase()} "${name}" not found`);
  return (
    data.get(key)?.toString("utf8") ??
    absent(optional, `couldn't find key ${key} in ${kind} ${pod.metadata.namespace}/${name}`)
  );
}

function absent(optional: boolean | undefined, message: string): undefined {
  if (!optional) throw new ContainerConfigError(message);
  return undefined;
}
