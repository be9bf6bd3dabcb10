import {
  type FieldError,
  type FieldPath,
  fieldError,
  fieldPath,
  jsonEqual,
  type KubeObject,
} from "@kubewright/apimachinery";
import { ageColumn, nameColumn } from "@kubewright/apiserver/registry";
import { column } from "../columns.ts";
import { defineStrategy } from "../define-strategy.ts";
import { bootstrapPriorityLevels, mandatorySpec } from "./bootstrap.ts";
import { type Condition, conditionErrors } from "./conditions.ts";

interface Queuing {
  queues?: number;
  handSize?: number;
  queueLengthLimit?: number;
}

interface LimitResponse {
  type?: string;
  queuing?: Queuing;
}

interface Limited {
  nominalConcurrencyShares?: number;
  limitResponse?: LimitResponse;
  lendablePercent?: number;
  borrowingLimitPercent?: number;
}

interface PriorityLevelConfiguration extends KubeObject {
  spec?: {
    type?: string;
    limited?: Limited;
    exempt?: { nominalConcurrencyShares?: number; lendablePercent?: number };
  };
  status?: { conditions?: Condition[] };
}

const at = fieldPath("spec");
const maxQueues = 10_000_000;
const maxHashBits = 60;

function shareErrors(shares: number | undefined, lendable: number | undefined, path: FieldPath): FieldError[] {
  return [
    ...((shares ?? 0) < 0
      ? [fieldError.invalid(path.child("nominalConcurrencyShares"), shares, "must be a non-negative integer")]
      : []),
    ...(lendable !== undefined && (lendable < 0 || lendable > 100)
      ? [fieldError.invalid(path.child("lendablePercent"), lendable, "must be between 0 and 100, inclusive")]
      : []),
  ];
}

function queuingErrors({ queues = 0, handSize = 0, queueLengthLimit = 0 }: Queuing, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const add = (field: string, value: number, text: string): void => {
    errors.push(fieldError.invalid(path.child(field), value, text));
  };
  if (queueLengthLimit <= 0) add("queueLengthLimit", queueLengthLimit, "must be positive");
  if (queues <= 0) add("queues", queues, "must be positive");
  else if (queues > maxQueues) add("queues", queues, `must not be greater than ${maxQueues}`);
  if (handSize <= 0) add("handSize", handSize, "must be positive");
  else if (handSize > queues) add("handSize", handSize, `should not be greater than queues (${queues})`);
  else if (entropyBits(queues, handSize) > maxHashBits)
    add(
      "handSize",
      handSize,
      `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than ${maxHashBits}`,
    );
  return errors;
}

const entropyBits = (queues: number, handSize: number): number => Math.ceil(Math.log2(queues) * handSize);

function responseErrors({ type = "", queuing }: LimitResponse, path: FieldPath): FieldError[] {
  if (type === "Reject")
    return queuing
      ? [fieldError.forbidden(path.child("queuing"), "must be nil if limited.limitResponse.type is not Limited")]
      : [];
  if (type === "Queue")
    return queuing
      ? queuingErrors(queuing, path.child("queuing"))
      : [fieldError.required(path.child("queuing"), "must not be empty if limited.limitResponse.type is Limited")];
  if (type === "") return [fieldError.required(path.child("type"))];
  return [fieldError.notSupported(path.child("type"), type, ["Queue", "Reject"])];
}

function limitedErrors(limited: Limited, path: FieldPath): FieldError[] {
  const { nominalConcurrencyShares, lendablePercent, borrowingLimitPercent } = limited;
  const [shares, lendable] = [
    shareErrors(nominalConcurrencyShares, undefined, path),
    shareErrors(undefined, lendablePercent, path),
  ];
  return [
    ...shares,
    ...responseErrors(limited.limitResponse ?? {}, path.child("limitResponse")),
    ...lendable,
    ...((borrowingLimitPercent ?? 0) < 0
      ? [
          fieldError.invalid(
            path.child("borrowingLimitPercent"),
            borrowingLimitPercent,
            "if specified, must be a non-negative integer",
          ),
        ]
      : []),
  ];
}

function specErrors({ metadata: { name }, spec = {} }: PriorityLevelConfiguration): FieldError[] {
  const { type = "", limited, exempt } = spec;
  const errors: FieldError[] = [];
  if ((name === "exempt") !== (type === "Exempt"))
    errors.push(fieldError.invalid(at.child("type"), type, "must be 'Exempt' if and only if `name` is 'exempt'"));
  if (type === "Exempt") {
    if (limited) {
      errors.push(fieldError.forbidden(at.child("limited"), "must be nil if the type is not Limited"));
      if (!limited.limitResponse?.type) errors.push(fieldError.required(at.child("limited", "limitResponse", "type")));
    }
    if (exempt)
      errors.push(...shareErrors(exempt.nominalConcurrencyShares, exempt.lendablePercent, at.child("exempt")));
  } else if (type === "Limited") {
    if (exempt) errors.push(fieldError.forbidden(at.child("exempt"), "must be nil if the type is Limited"));
    if (limited) errors.push(...limitedErrors(limited, at.child("limited")));
    else errors.push(fieldError.required(at.child("limited"), "must not be empty when type is Limited"));
  } else if (type === "") errors.push(fieldError.required(at.child("type")));
  else errors.push(fieldError.notSupported(at.child("type"), type, ["Exempt", "Limited"]));
  return errors;
}

function validate(level: PriorityLevelConfiguration): FieldError[] {
  return [...specErrors(level), ...mandatoryErrors(level), ...conditionErrors(level.status?.conditions)];
}

function mandatoryErrors({ metadata: { name }, spec = {} }: PriorityLevelConfiguration): FieldError[] {
  const fixed = mandatorySpec(bootstrapPriorityLevels, name) as PriorityLevelConfiguration["spec"];
  if (fixed === undefined) return [];
  if (name === "exempt") {
    const { exempt: _ours, ...have } = spec;
    const { exempt: _theirs, ...want } = fixed;
    const text = `spec of '${name}' except the 'spec.exempt' field must equal the fixed value`;
    return jsonEqual(have, want) ? [] : [fieldError.invalid(at, spec, text)];
  }
  return jsonEqual(spec, fixed) ? [] : [fieldError.invalid(at, spec, `spec of '${name}' must equal the fixed value`)];
}

const queuingOf = ({ spec }: PriorityLevelConfiguration): Queuing | undefined => spec?.limited?.limitResponse?.queuing;

/** Strategy for PriorityLevelConfigurations. @see pkg/registry/flowcontrol/prioritylevelconfiguration strategy.go */
export const priorityLevelConfigurationStrategy = defineStrategy<PriorityLevelConfiguration>({
  declaredFields: [
    "spec.type",
    "spec.limited",
    "spec.exempt",
    "spec.limited.limitResponse.type",
    "spec.limited.limitResponse.queuing",
  ],
  statusIgnoresMetadata: "all",
  countsGeneration: true,
  applyDefaults({ spec = {} }) {
    const { exempt, limited } = spec;
    if (exempt) {
      exempt.nominalConcurrencyShares ??= 0;
      exempt.lendablePercent ??= 0;
    }
    if (!limited) return;
    limited.nominalConcurrencyShares ??= 30;
    limited.lendablePercent ??= 0;
    const queuing = limited.limitResponse?.queuing;
    if (!queuing) return;
    queuing.handSize ||= 8;
    queuing.queues ||= 64;
    queuing.queueLengthLimit ||= 50;
  },
  validate,
  validateStatusUpdate: ({ status }) => conditionErrors(status?.conditions),
  columns: [
    nameColumn,
    column("Type", ({ spec }) => spec?.type ?? ""),
    column("NominalConcurrencyShares", ({ spec }) => spec?.limited?.nominalConcurrencyShares ?? "<none>"),
    column("Queues", (level) => queuingOf(level)?.queues ?? "<none>"),
    column("HandSize", (level) => queuingOf(level)?.handSize ?? "<none>"),
    column("QueueLengthLimit", (level) => queuingOf(level)?.queueLengthLimit ?? "<none>"),
    ageColumn,
  ],
});
