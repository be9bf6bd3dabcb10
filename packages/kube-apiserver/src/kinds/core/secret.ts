import { type FieldError, fieldError, fieldPath, type KubeObject, ownMember } from "@kubewright/apimachinery";
import { ageColumn, nameColumn } from "@kubewright/apiserver/registry";
import { readJsonText, UnreadableTextError } from "@kubewright/codec";
import { immutable } from "../checks.ts";
import { column } from "../columns.ts";
import { defineStrategy } from "../define-strategy.ts";
import { decodedBytes, immutabilityErrors, keyErrors, maxDataBytes } from "./key-value-data.ts";
import { keyPairWarnings } from "./tls-warnings.ts";

interface Secret extends KubeObject {
  type?: string;
  data?: Record<string, string>;
  stringData?: Record<string, string>;
  immutable?: boolean;
}

const dataPath = fieldPath("data");
const requiredKeys: Readonly<Record<string, readonly string[]>> = {
  "kubernetes.io/ssh-auth": ["ssh-privatekey"],
  "kubernetes.io/tls": ["tls.crt", "tls.key"],
};
const dockerKeys: Readonly<Record<string, string>> = {
  "kubernetes.io/dockercfg": ".dockercfg",
  "kubernetes.io/dockerconfigjson": ".dockerconfigjson",
};

function typeErrors({ type = "", data = {}, metadata }: Secret): FieldError[] {
  if (type === "kubernetes.io/service-account-token") {
    const name = "kubernetes.io/service-account.name";
    return metadata.annotations?.[name] ? [] : [fieldError.required(fieldPath("metadata", "annotations").key(name))];
  }
  if (type === "kubernetes.io/basic-auth") {
    if (Object.hasOwn(data, "username") || Object.hasOwn(data, "password")) return [];
    return ["username", "password"].map((key) => fieldError.required(dataPath.key(key)));
  }
  const docker = ownMember(dockerKeys, type);
  if (docker !== undefined) return dockerErrors(docker, data[docker]);
  return (ownMember(requiredKeys, type) ?? []).flatMap((key) =>
    Object.hasOwn(data, key) && (type !== "kubernetes.io/ssh-auth" || data[key] !== "")
      ? []
      : [fieldError.required(dataPath.key(key))],
  );
}

function dockerErrors(key: string, base64: string | undefined): FieldError[] {
  if (base64 === undefined) return [fieldError.required(dataPath.key(key))];
  try {
    readJsonText(Buffer.from(base64, "base64").toString("utf8"));
    return [];
  } catch (error) {
    if (!(error instanceof UnreadableTextError)) throw error;
    return [fieldError.invalid(dataPath.key(key), "<secret contents redacted>", error.message)];
  }
}

function validate(secret: Secret): FieldError[] {
  const { data = {} } = secret;
  const bytes = Object.values(data).reduce((sum, value) => sum + decodedBytes(value), 0);
  return [
    ...keyErrors(Object.keys(data), dataPath),
    ...(bytes > maxDataBytes ? [fieldError.tooLong(dataPath, maxDataBytes)] : []),
    ...typeErrors(secret),
  ];
}

function tlsWarnings({ type, data = {} }: Secret): string[] {
  if (type !== "kubernetes.io/tls") return [];
  const text = (key: string): string => Buffer.from(data[key] ?? "", "base64").toString("latin1");
  return keyPairWarnings(text("tls.crt"), text("tls.key"));
}

/** Strategy for Secrets. @see pkg/registry/core/secret strategy.go */
export const secretStrategy = defineStrategy<Secret>({
  applyDefaults(secret) {
    secret.type ||= "Opaque";
    if (!secret.stringData) return;
    const encoded = Object.entries(secret.stringData).map(([key, text]) => [key, Buffer.from(text).toString("base64")]);
    if (encoded.length > 0) secret.data = { ...secret.data, ...Object.fromEntries(encoded) };
    delete secret.stringData;
  },
  warningsOnCreate: tlsWarnings,
  warningsOnUpdate: tlsWarnings,
  validate,
  validateUpdate: (secret, old) => [
    ...immutable(secret.type, old.type, fieldPath("type")),
    ...immutabilityErrors(secret, old, ["data"]),
    ...validate(secret),
  ],
  columns: [
    nameColumn,
    column("Type", ({ type }) => type ?? ""),
    column("Data", ({ data = {} }) => Object.keys(data).length),
    ageColumn,
  ],
  selectableFields: { type: ({ type }) => type ?? "" },
});
