import { type FieldError, fieldError, fieldPath, isDns1123Subdomain, type KubeObject } from "@kubewright/apimachinery";
import { ageColumn, nameColumn } from "@kubewright/apiserver/registry";
import { messages } from "../checks.ts";
import { column } from "../columns.ts";
import { defineStrategy } from "../define-strategy.ts";
import { unchanged } from "../unchanged.ts";
import { driverNameErrors } from "./csi-validation.ts";

interface VolumeAttachment extends KubeObject {
  spec?: {
    attacher?: string;
    nodeName?: string;
    source?: { persistentVolumeName?: string; inlineVolumeSpec?: unknown };
  };
  status?: { attached: boolean };
}

const at = fieldPath("spec");

function sourceErrors(source: NonNullable<VolumeAttachment["spec"]>["source"] = {}): FieldError[] {
  const path = at.child("source");
  const { persistentVolumeName: name, inlineVolumeSpec } = source;
  const one = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
  if (name === undefined && inlineVolumeSpec === undefined) return [fieldError.required(path, one)];
  if (name !== undefined && inlineVolumeSpec !== undefined) return [fieldError.forbidden(path, one)];
  if (name === "")
    return [fieldError.required(path.child("persistentVolumeName"), "must specify non empty persistentVolumeName")];
  return [];
}

function validate({ spec = {} }: VolumeAttachment): FieldError[] {
  const { attacher = "", nodeName = "", source } = spec;
  const volume = source?.persistentVolumeName;
  return [
    ...driverNameErrors(attacher, at.child("attacher")),
    ...sourceErrors(source),
    ...messages(nodeName, isDns1123Subdomain(nodeName), at.child("nodeName")),
    ...(volume === undefined
      ? []
      : messages(volume, isDns1123Subdomain(volume), at.child("source", "persistentVolumeName"))),
  ];
}

/** Strategy for VolumeAttachments. @see pkg/registry/storage/volumeattachment strategy.go */
export const volumeAttachmentStrategy = defineStrategy<VolumeAttachment>({
  declaredFields: ["spec", "spec.attacher"],
  statusIgnoresMetadata: "all",
  allowUnconditionalUpdate: false,
  returnDeletedObject: true,
  prepareForCreate(attachment) {
    attachment.status = { attached: false };
  },
  validate,
  validateUpdate: (next, old) => [...validate(next), ...unchanged(next.spec ?? {}, old.spec, at)],
  columns: [
    nameColumn,
    { ...column<VolumeAttachment>("Attacher", ({ spec }) => spec?.attacher ?? ""), format: "name" },
    column("PV", ({ spec }) => spec?.source?.persistentVolumeName ?? ""),
    column("Node", ({ spec }) => spec?.nodeName ?? ""),
    column("Attached", ({ status }) => status?.attached ?? false, { type: "boolean" }),
    ageColumn,
  ],
});
