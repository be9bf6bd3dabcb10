import type { Query } from "../connection/connection.ts";
import type { DeleteOptions, FieldValidation, ListOptions, PatchOptions, WriteOptions } from "../contract/options.ts";
import { fieldSelectorText, labelSelectorText } from "./selectors.ts";

/** What a client adds to every write that does not say otherwise. */
export interface WriteDefaults {
  readonly fieldOwner?: string | undefined;
  readonly fieldValidation?: FieldValidation | undefined;
  /** No call can switch it off. */
  readonly dryRun?: boolean | undefined;
}

export function writeQuery(options: WriteOptions & Pick<PatchOptions, "force">, defaults: WriteDefaults): Query {
  return {
    fieldManager: options.fieldOwner ?? defaults.fieldOwner,
    fieldValidation: options.fieldValidation ?? defaults.fieldValidation,
    dryRun: options.dryRun || defaults.dryRun ? "All" : undefined,
    force: options.force ? true : undefined,
  };
}

export function listQuery(options: ListOptions): Query {
  return {
    labelSelector: labelSelectorText(options.labels),
    fieldSelector: fieldSelectorText(options.fields),
    limit: options.limit,
    continue: options.continue,
    // A continue token carries its version; the server refuses both together.
    resourceVersion: options.continue ? undefined : options.resourceVersion,
    resourceVersionMatch: options.continue ? undefined : options.resourceVersionMatch,
  };
}

/** The body of a deletion. */
export function deleteOptionsBody(options: DeleteOptions, defaults: WriteDefaults): string {
  const { gracePeriodSeconds, propagationPolicy, preconditions } = options;
  const dryRun = options.dryRun || defaults.dryRun;
  return JSON.stringify({
    kind: "DeleteOptions",
    apiVersion: "v1",
    gracePeriodSeconds,
    propagationPolicy,
    preconditions,
    ...(dryRun ? { dryRun: ["All"] } : {}),
  });
}
