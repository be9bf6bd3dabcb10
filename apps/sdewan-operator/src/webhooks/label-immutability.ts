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
 * The label that links resources to a CNF stays as it is, on resources and on Deployments. Of these, only such as have the label before or
 * after are asked about, and none of the operator's own namespace: it could not be mended while it is away.
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
  const answer = ({ objects }: Reviewed<Kind>): AdmissionResponse => {
    if (request.operation !== "UPDATE") return allowed();
    const [after, before] = objects().map((object) => object?.metadata.labels?.[purposeLabel] ?? "");
    return before === after ? allowed() : denied(`Label '${purposeLabel}' is immutable`);
  };
  return reviewed(request, kinds, answer, () => errored(400, "object Decode error"));
}
