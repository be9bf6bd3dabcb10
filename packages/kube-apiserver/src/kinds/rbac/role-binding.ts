import {
  type FieldError,
  type FieldPath,
  fieldError,
  fieldPath,
  isDns1123Subdomain,
  isPathSegmentName,
  jsonEqual,
  type KubeObject,
} from "@kubewright/apimachinery";
import type { TableColumn } from "@kubewright/apiserver/registry";
import { ageColumn, nameColumn } from "@kubewright/apiserver/registry";
import { messages } from "../checks.ts";
import { column } from "../columns.ts";
import { defineStrategy } from "../define-strategy.ts";

interface Subject {
  kind?: string;
  apiGroup?: string;
  name?: string;
  namespace?: string;
}

interface RoleBinding extends KubeObject {
  subjects?: Subject[];
  roleRef?: { apiGroup?: string; kind?: string; name?: string };
}

const rbacGroup = "rbac.authorization.k8s.io";

function applyDefaults(binding: RoleBinding): void {
  binding.roleRef ??= {};
  binding.roleRef.apiGroup ||= rbacGroup;
  for (const subject of binding.subjects ?? []) {
    if (subject.kind === "User" || subject.kind === "Group") subject.apiGroup ||= rbacGroup;
  }
}

function roleRefErrors({ roleRef = {} }: RoleBinding, kinds: readonly string[]): FieldError[] {
  const at = fieldPath("roleRef");
  const { apiGroup = "", kind = "", name = "" } = roleRef;
  return [
    ...(apiGroup === rbacGroup ? [] : [fieldError.notSupported(at.child("apiGroup"), apiGroup, [rbacGroup])]),
    ...(kinds.includes(kind) ? [] : [fieldError.notSupported(at.child("kind"), kind, kinds)]),
    ...(name === ""
      ? [fieldError.required(at.child("name"))]
      : messages(name, isPathSegmentName(name), at.child("name"))),
  ];
}

function subjectErrors(subject: Subject, isNamespaced: boolean, at: FieldPath): FieldError[] {
  const { kind = "", apiGroup = "", name = "", namespace = "" } = subject;
  const errors = name === "" ? [fieldError.required(at.child("name"))] : [];
  const inGroup = (group: string): FieldError[] =>
    apiGroup === group ? [] : [fieldError.notSupported(at.child("apiGroup"), apiGroup, [group])];
  if (kind === "User" || kind === "Group") return [...errors, ...inGroup(rbacGroup)];
  if (kind !== "ServiceAccount")
    return [...errors, fieldError.notSupported(at.child("kind"), kind, ["ServiceAccount", "User", "Group"])];
  return [
    ...errors,
    ...(name === "" ? [] : messages(name, isDns1123Subdomain(name), at.child("name"))),
    ...inGroup(""),
    ...(!isNamespaced && namespace === "" ? [fieldError.required(at.child("namespace"))] : []),
  ];
}

function validate(binding: RoleBinding, isNamespaced: boolean): FieldError[] {
  return [
    ...roleRefErrors(binding, isNamespaced ? ["Role", "ClusterRole"] : ["ClusterRole"]),
    ...(binding.subjects ?? []).flatMap((subject, i) =>
      subjectErrors(subject, isNamespaced, fieldPath("subjects").index(i)),
    ),
  ];
}

function validateUpdate(binding: RoleBinding, old: Readonly<RoleBinding>, isNamespaced: boolean): FieldError[] {
  const changed = jsonEqual(binding.roleRef, old.roleRef)
    ? []
    : [fieldError.invalid("roleRef", binding.roleRef, "field is immutable")];
  return [...validate(binding, isNamespaced), ...changed];
}

const names = ({ subjects = [] }: RoleBinding, kind: string): string =>
  subjects
    .filter((subject) => subject.kind === kind)
    .map(({ name = "", namespace }) => (kind === "ServiceAccount" ? `${namespace ?? ""}/${name}` : name))
    .join(", ");

const columns: readonly TableColumn<RoleBinding>[] = [
  nameColumn,
  column("Role", ({ roleRef }) => `${roleRef?.kind ?? ""}/${roleRef?.name ?? ""}`),
  ageColumn,
  column("Users", (binding) => names(binding, "User"), { wide: true }),
  column("Groups", (binding) => names(binding, "Group"), { wide: true }),
  column("ServiceAccounts", (binding) => names(binding, "ServiceAccount"), { wide: true }),
];

const declaredFields = ["subjects[].name", "roleRef.name"];

/** Strategy for RoleBindings. @see pkg/registry/rbac/rolebinding strategy.go */
export const roleBindingStrategy = defineStrategy<RoleBinding>({
  declaredFields,
  nameRule: "pathSegment",
  allowCreateOnUpdate: true,
  applyDefaults,
  validate: (binding) => validate(binding, true),
  validateUpdate: (binding, old) => validateUpdate(binding, old, true),
  columns,
});

/** Strategy for ClusterRoleBindings. @see pkg/registry/rbac/clusterrolebinding strategy.go */
export const clusterRoleBindingStrategy = defineStrategy<RoleBinding>({
  declaredFields,
  nameRule: "pathSegment",
  allowCreateOnUpdate: true,
  applyDefaults,
  validate: (binding) => validate(binding, false),
  validateUpdate: (binding, old) => validateUpdate(binding, old, false),
  columns,
});
