import {
  type FieldError,
  type FieldPath,
  fieldError,
  fieldPath,
  isDns1123Label,
  isDns1123Subdomain,
  isPathSegmentName,
  type KubeObject,
} from "@kubewright/apimachinery";
import { ageColumn, nameColumn } from "@kubewright/apiserver/registry";
import { immutable, messages } from "../checks.ts";
import { column } from "../columns.ts";
import { defineStrategy } from "../define-strategy.ts";

interface Parameters {
  apiGroup?: string;
  kind?: string;
  name?: string;
  scope?: string;
  namespace?: string;
}

interface IngressClass extends KubeObject {
  spec?: { controller?: string; parameters?: Parameters };
}

const at = fieldPath("spec");
const defaultAnnotation = "ingressclass.kubernetes.io/is-default-class";

const scopes = ["Cluster", "Namespace"];

function parameterErrors(parameters: Parameters, path: FieldPath): FieldError[] {
  const { apiGroup, scope = "", namespace } = parameters;
  return [
    ...(apiGroup === undefined ? [] : messages(apiGroup, isDns1123Subdomain(apiGroup), path.child("apiGroup"))),
    ...(["kind", "name"] as const).flatMap((field) => {
      const value = parameters[field] ?? "";
      return value === ""
        ? [fieldError.required(path.child(field))]
        : messages(value, isPathSegmentName(value), path.child(field));
    }),
    ...(scopes.includes(scope) ? [] : [fieldError.notSupported(path.child("scope"), scope, scopes)]),
    ...(scope === "Namespace" && namespace === undefined
      ? [fieldError.required(path.child("namespace"), "`parameters.scope` is set to 'Namespace'")]
      : []),
    ...(scope === "Namespace" && namespace !== undefined
      ? messages(namespace, isDns1123Label(namespace), path.child("namespace"))
      : []),
    ...(scope === "Cluster" && namespace !== undefined
      ? [fieldError.forbidden(path.child("namespace"), "`parameters.scope` is set to 'Cluster'")]
      : []),
  ];
}

function validate({ spec = {} }: IngressClass): FieldError[] {
  const { controller = "", parameters } = spec;
  return [
    ...(controller === ""
      ? [fieldError.required(at.child("controller"))]
      : controller.includes("/")
        ? []
        : [
            fieldError.invalid(
              at.child("controller"),
              controller,
              'must be a domain-prefixed path (such as "acme.io/foo")',
            ),
          ]),
    ...(parameters ? parameterErrors(parameters, at.child("parameters")) : []),
  ];
}

/** Strategy for IngressClasses. @see pkg/registry/networking/ingressclass strategy.go */
export const ingressClassStrategy = defineStrategy<IngressClass>({
  declaredFields: ["spec.parameters.kind", "spec.parameters.name"],
  countsGeneration: true,
  applyDefaults({ spec }) {
    if (spec?.parameters) spec.parameters.scope ??= "Cluster";
  },
  validate,
  validateUpdate: (next, old) => [
    ...immutable(next.spec?.controller ?? "", old.spec?.controller ?? "", at.child("controller")),
    ...validate(next),
  ],
  columns: [
    {
      ...nameColumn,
      cell: ({ metadata }) =>
        metadata.annotations?.[defaultAnnotation] === "true" ? `${metadata.name} (default)` : metadata.name,
    },
    column("Controller", ({ spec }) => spec?.controller ?? ""),
    column("Parameters", ({ spec }) => {
      const { kind = "", apiGroup, name = "" } = spec?.parameters ?? {};
      return spec?.parameters ? `${kind}${apiGroup === undefined ? "" : `.${apiGroup}`}/${name}` : "<none>";
    }),
    ageColumn,
  ],
});
