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

/** Returns the errors in the host path of a pod volume or PersistentVolume. */
export function hostPathErrors({ path = "", type }: { path?: string; type?: string }, at: FieldPath): FieldError[] {
  if (path === "") return [fieldError.required(at.child("path"))];
  return [
    ...(path.split("/").includes("..") ? [fieldError.invalid(at.child("path"), path, "must not contain '..'")] : []),
    ...(type === undefined || hostPathTypes.includes(type)
      ? []
      : [fieldError.notSupported(at.child("type"), type, hostPathTypes)]),
  ];
}
