import { type FieldError, fieldError } from "@kubewright/apimachinery";
import { decodeOptions } from "@kubewright/codec";
import type { DeletionOptions } from "../../registry/deletion.ts";
import type { ApiRequest } from "./api-request.ts";
import { isTrue } from "./request-info.ts";
import { dryRunErrors, integerParameter, invalidOptions } from "./request-options.ts";

const policies = ["Foreground", "Background", "Orphan"] as const;

/**
 * Reads delete options from the body, or from the query if the body is empty.
 *
 * @throws {StatusError} 400 for an unreadable body, 422 for conflicting options
 */
export async function deleteOptions(request: ApiRequest): Promise<DeletionOptions> {
  const body = await request.body();
  const given = body.length > 0 ? decodeOptions(request.header("content-type"), body, "DeleteOptions") : {};
  if (body.length > 0) request.recordObject(given);
  const asked = body.length > 0 ? given : queryOptions(request.query);
  const { gracePeriodSeconds, propagationPolicy, orphanDependents, preconditions, dryRun = [] } = asked as RawOptions;
  const errors = [...policyErrors(propagationPolicy, orphanDependents), ...dryRunErrors(dryRun)];
  if (errors.length > 0) throw invalidOptions("DeleteOptions", errors);
  return {
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds: Number(gracePeriodSeconds) }),
    ...(isPolicy(propagationPolicy) ? { propagationPolicy } : {}),
    ...(orphanDependents === undefined ? {} : { orphanDependents }),
    ...(preconditions ? { preconditions } : {}),
    dryRun: dryRun.length > 0,
  };
}

interface RawOptions {
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: string;
  readonly orphanDependents?: boolean;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly dryRun?: readonly string[];
}

function queryOptions(query: URLSearchParams): RawOptions {
  const gracePeriodSeconds = integerParameter(query, "gracePeriodSeconds");
  const propagationPolicy = query.get("propagationPolicy");
  const orphanDependents = query.get("orphanDependents");
  return {
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(propagationPolicy ? { propagationPolicy } : {}),
    ...(orphanDependents === null ? {} : { orphanDependents: isTrue(orphanDependents) }),
    dryRun: query.getAll("dryRun"),
  };
}

function policyErrors(policy: string | undefined, orphanDependents: boolean | undefined): FieldError[] {
  if (policy !== undefined && orphanDependents !== undefined)
    return [
      fieldError.invalid("propagationPolicy", policy, "orphanDependents and deletionPropagation cannot be both set"),
    ];
  if (policy === undefined || isPolicy(policy)) return [];
  return [fieldError.notSupported("propagationPolicy", policy, [...policies, "nil"])];
}

const isPolicy = (text: string | undefined): text is (typeof policies)[number] =>
  (policies as readonly (string | undefined)[]).includes(text);
