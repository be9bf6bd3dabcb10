import { type FieldError, fieldError, fieldPath, type KubeObject } from "@kubewright/apimachinery";
import { ageColumn, nameColumn } from "../../table-columns.ts";
import { immutable } from "../checks.ts";
import { column } from "../columns.ts";
import { defineStrategy } from "../define-strategy.ts";

interface IngressClass extends KubeObject {
  spec?: {
    controller?: string;
    parameters?: { apiGroup?: string; kind?: string; name?: string; scope?: string; namespace?: string };
  };
}

const at = fieldPath("spec");
const defaultAnnotation = "ingressclass.kubernetes.io/is-default-class";

function validate({ spec = {} }: IngressClass): FieldError[] {
  const { controller = "", parameters } = spec;
  const path = at.child("parameters");
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
    ...(parameters && !parameters.kind ? [fieldError.required(path.child("kind"))] : []),
    ...(parameters && !parameters.name ? [fieldError.required(path.child("name"))] : []),
    ...(parameters?.scope === "Namespace" && !parameters.namespace
      ? [fieldError.required(path.child("namespace"), "`parameters.scope` is set to 'Namespace'")]
      : []),
  ];
}

/** @see pkg/registry/networking/ingressclass strategy.go */
export const ingressClassStrategy = defineStrategy<IngressClass>({
  countsGeneration: true,
  applyDefaults({ spec }) {
    if (spec?.parameters) spec.parameters.scope ??= "Cluster";
  },
  validate,
  validateUpdate: (next, old) => [
    ...validate(next),
    ...immutable(next.spec?.controller, old.spec?.controller, at.child("controller")),
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
