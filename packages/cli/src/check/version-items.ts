import { versionNeeds } from "@kubewright/apiextensions";
import { isRecord, kubernetesVersion, quote, type Unstructured } from "@kubewright/apimachinery";
import { CelEnvironment, celType, isCelCompileError } from "@kubewright/cel";
import { UsageError } from "../command/errors.ts";

/** A field of a generated object that an older server rejects or ignores. */
export interface VersionItem {
  readonly check: "definition" | "webhook";
  /** Name of the object, such as `sites.shop.example.com`. */
  readonly name: string;
  readonly path: string;
  readonly message: string;
}

/**
 * Oldest minor version that can be checked; {@link newest} is the newest. Kubernetes 1.30 supports all parts of generated objects that are
 * not listed here: `fieldPath`, `reason` and `optionalOldSelf` of rules, match conditions, and `ValidatingAdmissionPolicy`.
 */
const oldest = 30;
const newest = Number(kubernetesVersion.split(".")[1]);

/**
 * Parses the minor version in an argument such as `1.30` or `v1.30.14`.
 *
 * @throws {UsageError} if the version is not supported
 */
export function minorOf(version: string): number {
  const [, minor = ""] = /^v?1\.(\d{1,3})(?:\.\d+)?$/.exec(version) ?? [];
  if (minor === "" || Number(minor) < oldest || Number(minor) > newest)
    throw new UsageError(`--kubernetes ${quote(version)} is not a version from 1.${oldest} to 1.${newest}`);
  return Number(minor);
}

/** Returns the fields in CRDs and webhook configurations that kube-apiserver 1.`minor` does not support. */
export function versionItems(objects: readonly Unstructured[], minor: number): VersionItem[] {
  return objects.flatMap((object) => {
    const { name } = object.metadata;
    if (object.kind === "CustomResourceDefinition")
      return versionNeeds(object, minor).map((need): VersionItem => {
        const effect = `is ${need.isRejected ? "rejected" : "ignored"} before Kubernetes 1.${need.minor}`;
        return {
          check: "definition",
          name,
          path: need.path,
          message: `${quote(need.value)} ${effect}: ${need.message}`,
        };
      });
    return object.kind.endsWith("WebhookConfiguration") ? conditionItems(object, minor) : [];
  });
}

/** Variables of match conditions. Their types are not declared, because only the names of functions depend on the version. */
const variables = { object: celType.dyn, oldObject: celType.dyn, request: celType.dyn, authorizer: celType.dyn };

/** Returns the match conditions of webhooks with functions that the server does not have. */
function conditionItems({ metadata: { name }, webhooks }: Unstructured, minor: number): VersionItem[] {
  const items: VersionItem[] = [];
  for (const webhook of Array.isArray(webhooks) ? webhooks : []) {
    if (!isRecord(webhook) || !Array.isArray(webhook.matchConditions)) continue;
    const path = `${String(webhook.name)} matchConditions`;
    for (const condition of webhook.matchConditions) {
      const expression = isRecord(condition) ? String(condition.expression) : "";
      const since = acceptedSince(expression, minor);
      if (since === undefined || since === minor) continue;
      const remedy = "use other functions, or check the condition in the webhook";
      const message = `${quote(expression)} is rejected before Kubernetes 1.${since}: ${remedy}`;
      items.push({ check: "webhook", name, path, message });
    }
  }
  return items;
}

/** Returns the first minor version from `minor` on that accepts an expression. `undefined` if the expression is wrong in all versions. */
function acceptedSince(expression: string, minor: number): number | undefined {
  for (let since = minor; since <= newest; since++) {
    try {
      CelEnvironment.acceptedBy(since).extend({ variables }).compile(expression);
      return since;
    } catch (error) {
      if (!isCelCompileError(error)) throw error;
    }
  }
  return undefined;
}
