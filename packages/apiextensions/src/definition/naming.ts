import type { Condition } from "@kubewright/apimachinery";
import type { CustomResourceDefinition, DefinitionNames } from "./definition.ts";

/** Names already used by another CRD or a built-in resource in the same group. */
export interface TakenNames {
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
}

type DefinitionCondition = Pick<Condition, "type" | "status" | "reason" | "message">;

/** A CRD's accepted names and naming conditions. */
export interface Naming {
  readonly acceptedNames: DefinitionNames;
  readonly namesAccepted: DefinitionCondition;
  readonly established: DefinitionCondition;
}

/**
 * Returns a CRD's accepted names and its conditions `NamesAccepted` and `Established`. Each name that is not in use is
 * accepted, even if other names of the CRD are. As long as a new name is in use elsewhere, the CRD keeps the previously
 * accepted name.
 *
 * @see apiextensions-apiserver pkg/controller/status NamingConditionController
 */
export function namingConditions(definition: CustomResourceDefinition, taken: readonly TakenNames[]): Naming {
  const wanted = definition.spec.names;
  const accepted: DefinitionNames = { ...emptyNames, ...definition.status?.acceptedNames };
  const resources = new Set(taken.flatMap((t) => [t.plural, t.singular, ...t.shortNames]));
  const kinds = new Set(taken.flatMap((t) => [t.kind, t.listKind]));
  const conflicts: [reason: string, message: string][] = [];
  const inUse = (name: string): string => `"${name}" is already in use`;
  const take = (name: string, all: ReadonlySet<string>, reason: string, accept: () => void): void => {
    if (name !== "" && all.has(name)) conflicts.push([reason, inUse(name)]);
    else accept();
  };
  const singular = wanted.singular ?? "";
  const listKind = wanted.listKind ?? "";
  take(wanted.plural, resources, "PluralConflict", () => {
    accepted.plural = wanted.plural;
  });
  take(singular, resources, "SingularConflict", () => {
    accepted.singular = singular;
  });
  const short = wanted.shortNames ?? [];
  const takenShort = short.filter((name) => resources.has(name));
  if (takenShort.length > 0) conflicts.push(["ShortNamesConflict", aggregate(takenShort.map(inUse))]);
  else if (short.length > 0) accepted.shortNames = [...short];
  else delete accepted.shortNames;
  take(wanted.kind, kinds, "KindConflict", () => {
    accepted.kind = wanted.kind;
  });
  take(listKind, kinds, "ListKindConflict", () => {
    accepted.listKind = listKind;
  });
  if (wanted.categories && wanted.categories.length > 0) accepted.categories = [...wanted.categories];
  else delete accepted.categories;
  return { acceptedNames: accepted, ...conditionsOf(definition, conflicts.at(-1)) };
}

const emptyNames: DefinitionNames = { plural: "", kind: "" };

const aggregate = (messages: readonly string[]): string =>
  messages.length === 1 ? (messages[0] ?? "") : `[${messages.join(", ")}]`;

function conditionsOf(
  definition: CustomResourceDefinition,
  conflict: readonly [string, string] | undefined,
): Pick<Naming, "namesAccepted" | "established"> {
  const before = definition.status?.conditions?.find(({ type }) => type === "Established");
  const wasEstablished = before?.status === "True";
  const namesAccepted: DefinitionCondition = conflict
    ? { type: "NamesAccepted", status: "False", reason: conflict[0], message: conflict[1] }
    : { type: "NamesAccepted", status: "True", reason: "NoConflicts", message: "no conflicts found" };
  // an established CRD remains established even if there is a conflict
  const established: DefinitionCondition =
    conflict && !wasEstablished
      ? { type: "Established", status: "False", reason: "NotAccepted", message: "not all names are accepted" }
      : {
          type: "Established",
          status: "True",
          reason: "InitialNamesAccepted",
          message: "the initial names have been accepted",
        };
  return { namesAccepted, established };
}
