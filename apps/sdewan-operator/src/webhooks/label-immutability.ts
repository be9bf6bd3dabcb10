import type { Kind } from "@kubewright/apimachinery";
import { Deployment } from "@kubewright/client/kinds";
import {
  type AdmissionContext,
  type AdmissionHandlerOptions,
  type AdmissionResponse,
  admissionHandler,
  allowed,
  denied,
  errored,
  type Webhook,
} from "@kubewright/webhook";
import { purposeLabel } from "../api/group.ts";
import { apiKinds } from "../kinds/api-kinds.ts";
import { type Reviewed, reviewed } from "./reviewed.ts";

const kinds: readonly Kind[] = [Deployment, ...apiKinds];
const operations = ["UPDATE"] as const;

/**
 * Returns the webhooks that prevent changes to the label that links resources and Deployments to a CNF. They are called
 * only for Deployments that have the label before or after the change. The operator's own namespace is exempt, so that
 * Deployments there can be repaired while the operator is down.
 */
export function labelImmutability(): readonly Webhook[] {
  const ofResources = handled("/validate-label", {
    name: "validate-label.akraino.org",
    rules: apiKinds.map((kind) => ({ kind, operations })),
  });
  const ofDeployments = handled("/validate-deployment-label", {
    name: "validate-deployment-label.akraino.org",
    rules: [{ kind: Deployment, operations }],
    objectSelector: { matchExpressions: [{ key: purposeLabel, operator: "Exists" }] },
  });
  return [ofResources, ofDeployments];
}

const handled = (path: string, options: Omit<AdmissionHandlerOptions, "type">): Webhook =>
  admissionHandler(path, { type: "validating", ...options }, decide);

function decide({ request }: AdmissionContext): Promise<AdmissionResponse> {
  const decideReviewed = ({ objects }: Reviewed<Kind>): AdmissionResponse => {
    if (request.operation !== "UPDATE") return allowed();
    const [after, before] = objects().map((object) => object?.metadata.labels?.[purposeLabel] ?? "");
    return before === after ? allowed() : denied(`Label '${purposeLabel}' is immutable`);
  };
  return reviewed(request, kinds, decideReviewed, () => errored(400, "object Decode error"));
}
