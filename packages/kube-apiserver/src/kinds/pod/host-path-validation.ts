import { type FieldError, type FieldPath, fieldError } from "@kubewright/apimachinery";

const hostPathTypes = [
  "",
  "BlockDevice",
  "CharDevice",
  "Directory",
  "DirectoryOrCreate",
  "File",
  "FileOrCreate",
  "Socket",
];

/** What is wrong with a path of the node, of a pod or of a volume. */
export function hostPathErrors({ path = "", type }: { path?: string; type?: string }, at: FieldPath): FieldError[] {
  if (path === "") return [fieldError.required(at.child("path"))];
  return [
    ...(path.split("/").includes("..") ? [fieldError.invalid(at.child("path"), path, "must not contain '..'")] : []),
    ...(type === undefined || hostPathTypes.includes(type)
      ? []
      : [fieldError.notSupported(at.child("type"), type, hostPathTypes)]),
  ];
}
