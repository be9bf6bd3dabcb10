import { type DeepReadonly, keyOf } from "@kubewright/apimachinery";
import { purposeLabel } from "../api/group.ts";
import type { Origin } from "../cnf/session/change.ts";
import type { CnfKind, RuleObject } from "../uci/cnf-kind.ts";

/** A custom resource of a rule kind. */
export type Rule = DeepReadonly<RuleObject>;

export const purposeOf = ({ metadata }: Rule): string | undefined => metadata.labels?.[purposeLabel];

export const uidOf = ({ metadata }: Rule): string => metadata.uid ?? "";

export const isBeingDeleted = ({ metadata }: Rule): boolean => metadata.deletionTimestamp !== undefined;

export const originOf = ({ kind }: CnfKind, rule: Rule): Origin => ({ kind: kind.kind, key: keyOf(rule) });
