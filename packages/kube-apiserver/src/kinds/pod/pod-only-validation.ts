import { type FieldError, fieldError, fieldPath } from "@kubewright/apimachinery";
import type { Pod } from "./pod-types.ts";

const mirrorAnnotation = "kubernetes.io/config.mirror";

/**
 * Returns those errors in a pod that do not apply to pod templates.
 *
 * @see pkg/apis/core/validation validatePodMetadataAndSpec
 */
export function validatePodOnly({ metadata, spec = {} }: Pod): FieldError[] {
  const mirror = metadata.annotations?.[mirrorAnnotation];
  const mirrorPath = fieldPath("metadata", "annotations").key(mirrorAnnotation);
  return [
    ...(mirror !== undefined && !spec.nodeName
      ? [fieldError.invalid(mirrorPath, mirror, "must set spec.nodeName if mirror pod annotation is set")]
      : []),
    ...(spec.serviceAccountName ? [] : tokenErrors(spec.volumes ?? [])),
  ];
}

function tokenErrors(volumes: NonNullable<NonNullable<Pod["spec"]>["volumes"]>): FieldError[] {
  const at = fieldPath("spec", "volumes");
  return volumes.flatMap((volume, i) =>
    (volume.projected?.sources ?? []).flatMap((source, j) =>
      source.serviceAccountToken
        ? [
            fieldError.forbidden(
              at.index(i).child("projected", "sources").index(j).child("serviceAccountToken"),
              "must not be specified when serviceAccountName is not set",
            ),
          ]
        : [],
    ),
  );
}
