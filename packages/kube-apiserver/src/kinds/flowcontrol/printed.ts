import { isRecord } from "@kubewright/apimachinery";

type Json = Record<string, unknown>;

/** The members of a Go struct in their order, each with what is inside; `null` stands for a plain value. */
type Shape = Readonly<Record<string, unknown>> | readonly [Shape] | null;

const name: Shape = { Name: null };
const subject: Shape = { Kind: null, User: name, Group: name, ServiceAccount: { Namespace: null, Name: null } };
const resourceRule: Shape = { Verbs: null, APIGroups: null, Resources: null, ClusterScope: null, Namespaces: null };
const rule: Shape = {
  Subjects: [subject],
  ResourceRules: [resourceRule],
  NonResourceRules: [{ Verbs: null, NonResourceURLs: null }],
};
const flowSchema: Shape = {
  PriorityLevelConfiguration: name,
  MatchingPrecedence: null,
  DistinguisherMethod: { Type: null },
  Rules: [rule],
};
const queuing: Shape = { Queues: null, HandSize: null, QueueLengthLimit: null };
const priorityLevel: Shape = {
  Type: null,
  Limited: {
    NominalConcurrencyShares: null,
    LimitResponse: { Type: null, Queuing: queuing },
    LendablePercent: null,
    BorrowingLimitPercent: null,
  },
  Exempt: { NominalConcurrencyShares: null, LendablePercent: null },
};

/** Members that are no pointers in Go, with what they are when they are absent. */
const zeros: Readonly<Record<string, unknown>> = { ClusterScope: false, Type: "", LimitResponse: {} };

/** Upstream shows its internal types in errors: members named as in Go, all of them. */
function printed(value: unknown, shape: Shape): unknown {
  if (value === undefined) return null;
  if (shape === null) return value;
  if (Array.isArray(shape)) return Array.isArray(value) ? value.map((item) => printed(item, shape[0] as Shape)) : null;
  const given: Json = isRecord(value) ? value : {};
  return Object.fromEntries(
    Object.entries(shape).map(([member, inside]) => {
      const own = given[jsonName(member)] ?? zeros[member];
      return [member, printed(own, inside as Shape)];
    }),
  );
}

const jsonName = (member: string): string =>
  member === "APIGroups" ? "apiGroups" : member.charAt(0).toLowerCase() + member.slice(1);

export const printedFlowSchema = (spec: unknown): unknown => printed(spec ?? {}, flowSchema);
export const printedPriorityLevel = (spec: unknown): unknown => printed(spec ?? {}, priorityLevel);
export const printedDistinguisher = (method: unknown): unknown => printed(method, { Type: null });
