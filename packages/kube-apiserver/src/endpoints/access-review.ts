import {
  type FieldError,
  type FieldPath,
  fieldError,
  fieldPath,
  isLabelValue,
  isRecord,
  type ObjectMeta,
  toAggregateInvalid,
  validateQualifiedName,
} from "@kubewright/apimachinery";
import type { RequestUser } from "@kubewright/apiserver/authentication";
import type { AuthorizationAttributes, Authorizer, SelectorRequirement } from "@kubewright/apiserver/authorization";

type Members = Record<string, unknown>;

/** The content of an access review. */
export interface AccessQuestion {
  readonly spec: Members;
  readonly metadata: ObjectMeta;
  /** User whose access is reviewed; `undefined` if the review does not name a user. */
  readonly user: RequestUser | undefined;
  /** For a LocalSubjectAccessReview, the only namespace that the review may name. */
  readonly onlyNamespace?: string | undefined;
}

/** Functions that parse selectors. They return `undefined` if a selector cannot be parsed. */
export interface SelectorReaders {
  fields(text: string): readonly SelectorRequirement[] | undefined;
  labels(text: string): readonly SelectorRequirement[] | undefined;
}

/**
 * Returns the status of an access review.
 *
 * @throws {StatusError} 422 for an invalid review
 *
 * @see kubernetes pkg/registry/authorization
 */
export async function reviewAccess(
  question: AccessQuestion,
  authorize: Authorizer,
  readers: SelectorReaders,
): Promise<Members> {
  const { spec, user } = question;
  const errors = accessErrors(question);
  if (errors.length > 0 || !user) throw toAggregateInvalid({ group: "authorization.k8s.io", kind: "" }, "", errors);
  const { attributes, problems } = attributesOf(spec, readers);
  const { decision, reason, error } = await authorize({ ...attributes, user });
  const evaluationError = [...(error ? [error] : []), ...problems].join("; ");
  return {
    allowed: decision === "allow",
    ...(decision === "deny" ? { denied: true } : {}),
    ...(reason ? { reason } : {}),
    ...(evaluationError === "" ? {} : { evaluationError }),
  };
}

/** Returns the user named in a review, if any. */
export function subjectOf({ user, groups, uid, extra }: Members): RequestUser | undefined {
  const name = typeof user === "string" ? user : "";
  const members = textsOf(groups);
  if (name === "" && members.length === 0) return undefined;
  const extras = Object.entries(isRecord(extra) ? extra : {}).map(([key, values]) => [key, textsOf(values)] as const);
  return {
    name,
    groups: members,
    ...(typeof uid === "string" && uid !== "" ? { uid } : {}),
    ...(extras.length > 0 ? { extra: Object.fromEntries(extras) } : {}),
  };
}

const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];

/** Returns the errors in an access review. @see kubernetes pkg/apis/authorization/validation */
function accessErrors({ spec, metadata, user, onlyNamespace }: AccessQuestion): FieldError[] {
  const { resourceAttributes, nonResourceAttributes } = spec;
  const at = fieldPath("spec", "resourceAttributes");
  const errors: FieldError[] = [];
  if (isRecord(resourceAttributes) && isRecord(nonResourceAttributes))
    errors.push(
      fieldError.invalid(
        "spec",
        goMembers(nonResourceAttributes),
        "exactly one of nonResourceAttributes or resourceAttributes must be specified",
      ),
    );
  if (!isRecord(resourceAttributes) && !isRecord(nonResourceAttributes))
    errors.push(
      fieldError.invalid("spec", null, "exactly one of nonResourceAttributes or resourceAttributes must be specified"),
    );
  if (!user) errors.push(fieldError.invalid("spec.user", "", "at least one of user or group must be specified"));
  if (isRecord(resourceAttributes))
    for (const error of [
      ...selectorErrors(resourceAttributes.fieldSelector, at.child("fieldSelector"), () => []),
      ...selectorErrors(resourceAttributes.labelSelector, at.child("labelSelector"), labelErrors),
    ])
      errors.push(error);
  const { managedFields: _fields, namespace: _namespace, ...otherMetadata } = metadata;
  if (Object.values(otherMetadata).some((value) => value !== undefined && value !== ""))
    errors.push(fieldError.invalid("metadata", metadata, "must be empty"));
  if (onlyNamespace === undefined) return errors;
  if (isRecord(resourceAttributes) && (resourceAttributes.namespace ?? "") !== onlyNamespace)
    errors.push(
      fieldError.invalid(at.child("namespace"), resourceAttributes.namespace ?? "", "must match metadata.namespace"),
    );
  if (isRecord(nonResourceAttributes))
    errors.push(
      fieldError.invalid(
        "spec.nonResourceAttributes",
        goMembers(nonResourceAttributes),
        "disallowed on this kind of request",
      ),
    );
  return errors;
}

/** Returns attributes as upstream's messages show them: with the member names of its internal type, which has no JSON names. */
const goMembers = ({ path = "", verb = "" }: Members): unknown => ({ Path: path, Verb: verb });

/** Returns the errors in the name and the values of a label in a selector. */
function labelErrors({ key, values }: Members, at: FieldPath): FieldError[] {
  const name = typeof key === "string" ? key : "";
  return [
    ...(name === "" ? [] : messages(name, validateQualifiedName(name), at.child("key"))),
    ...textsOf(values).flatMap((value, i) => messages(value, isLabelValue(value), at.child("values").index(i))),
  ];
}

const messages = (value: string, found: readonly string[], at: FieldPath): FieldError[] =>
  found.map((message) => fieldError.invalid(at, value, message));

function selectorErrors(
  selector: unknown,
  at: FieldPath,
  more: (requirement: Members, at: FieldPath) => FieldError[],
): FieldError[] {
  if (!isRecord(selector)) return [];
  const raw = typeof selector.rawSelector === "string" ? selector.rawSelector : "";
  const requirements = Array.isArray(selector.requirements) ? selector.requirements.filter(isRecord) : [];
  const path = at.child("requirements");
  return [
    ...(raw !== "" && requirements.length > 0
      ? [fieldError.invalid(at.child("rawSelector"), raw, "may not specified at the same time as requirements")]
      : []),
    ...(raw === "" && requirements.length === 0
      ? [fieldError.required(path, `when ${at} is specified, requirements or rawSelector is required`)]
      : []),
    ...requirements.flatMap((requirement, i) => [
      ...requirementErrors(requirement, path.index(i)),
      ...more(requirement, path.index(i)),
    ]),
  ];
}

function requirementErrors({ key, operator, values }: Members, at: FieldPath): FieldError[] {
  const count = Array.isArray(values) ? values.length : 0;
  const errors = key ? [] : [fieldError.required(at.child("key"), "must be specified")];
  const path = at.child("values");
  if ((operator === "In" || operator === "NotIn") && count === 0)
    errors.push(fieldError.required(path, "must be specified when `operator` is 'In' or 'NotIn'"));
  if ((operator === "Exists" || operator === "DoesNotExist") && count > 0)
    errors.push(fieldError.forbidden(path, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
  return errors;
}

function attributesOf(
  { resourceAttributes, nonResourceAttributes }: Members,
  readers: SelectorReaders,
): { readonly attributes: Omit<AuthorizationAttributes, "user">; readonly problems: readonly string[] } {
  const isResourceRequest = isRecord(resourceAttributes);
  const given: Members = isRecord(resourceAttributes)
    ? resourceAttributes
    : isRecord(nonResourceAttributes)
      ? nonResourceAttributes
      : {};
  const text = (name: string): string => (typeof given[name] === "string" ? given[name] : "");
  const fields = requirementsOf(given.fieldSelector, "fieldSelector", readers.fields);
  const labels = requirementsOf(given.labelSelector, "labelSelector", readers.labels);
  return {
    attributes: {
      isResourceRequest,
      verb: text("verb"),
      path: text("path"),
      group: text("group"),
      version: isResourceRequest ? text("version") || "*" : "",
      resource: text("resource"),
      subresource: text("subresource"),
      namespace: text("namespace"),
      name: text("name"),
      ...(fields.known.length > 0 ? { fieldSelector: fields.known } : {}),
      ...(labels.known.length > 0 ? { labelSelector: labels.known } : {}),
    },
    problems: [...fields.problems, ...labels.problems],
  };
}

/** Returns the requirements in a selector that authorizers support, and messages about the requirements that are ignored. */
function requirementsOf(
  selector: unknown,
  member: "fieldSelector" | "labelSelector",
  read: (text: string) => readonly SelectorRequirement[] | undefined,
): { readonly known: readonly SelectorRequirement[]; readonly problems: readonly string[] } {
  if (!isRecord(selector)) return { known: [], problems: [] };
  const raw = typeof selector.rawSelector === "string" ? selector.rawSelector : "";
  const requirements = Array.isArray(selector.requirements) ? selector.requirements.filter(isRecord) : [];
  const all = raw === "" ? requirements.map((one) => knownRequirement(one, member)) : (read(raw) ?? [undefined]);
  const known = all.filter((one) => one !== undefined);
  if (known.length === all.length) return { known, problems: [] };
  const how = known.length > 0 ? "partially ignored" : "ignored";
  return { known, problems: [`spec.resourceAttributes.${member} ${how} due to parse error`] };
}

const operators = ["In", "NotIn", "Exists", "DoesNotExist"] as const;

function knownRequirement(
  { key, operator, values }: Members,
  member: "fieldSelector" | "labelSelector",
): SelectorRequirement | undefined {
  const known = operators.find((one) => one === operator);
  const list = textsOf(values);
  if (!known || typeof key !== "string") return undefined;
  if (member === "fieldSelector" && (list.length !== 1 || known === "Exists" || known === "DoesNotExist"))
    return undefined;
  return { key, operator: known, ...(list.length > 0 ? { values: list } : {}) };
}
