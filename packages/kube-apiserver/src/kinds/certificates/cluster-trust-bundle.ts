import { X509Certificate } from "node:crypto";
import { type FieldError, fieldError, fieldPath, type KubeObject } from "@kubewright/apimachinery";
import { nameColumn } from "@kubewright/apiserver/registry";
import { type PemBlock, pemBlocks } from "@kubewright/certificates";
import { immutable, messages } from "../checks.ts";
import { column } from "../columns.ts";
import { defineStrategy } from "../define-strategy.ts";
import { signerNameErrors, trustBundleNameMessages } from "./signer-name.ts";

interface ClusterTrustBundle extends KubeObject {
  spec?: { signerName?: string; trustBundle?: string };
}

const maxBytes = 1_024 * 1_024;
const at = fieldPath("spec");

function validate({ metadata, spec = {} }: ClusterTrustBundle, parses = true): FieldError[] {
  const { signerName = "", trustBundle = "" } = spec;
  return [
    ...messages(metadata.name, trustBundleNameMessages(metadata.name, signerName), fieldPath("metadata", "name")),
    ...(signerName === "" ? [] : signerNameErrors(signerName, at.child("signerName"))),
    ...(parses ? bundleErrors(trustBundle) : []),
  ];
}

/** Returns the errors in a bundle, which must consist of different CA certificates. @see validateTrustBundle */
function bundleErrors(bundle: string): FieldError[] {
  const path = at.child("trustBundle");
  if (Buffer.byteLength(bundle) > maxBytes) return [fieldError.tooLong(path, maxBytes)];
  const wrong = (detail: string): FieldError => fieldError.invalid(path, "<value omitted>", detail);
  const blocks = pemBlocks(bundle);
  const errors = blocks.flatMap((block, i) => {
    const problem = problemOf(block);
    return problem === undefined ? [] : [wrong(`entry ${i} ${problem}`)];
  });
  if (errors.length > 0) return errors;
  if (blocks.length === 0) return [wrong("at least one trust anchor must be provided")];
  const places = new Map<string, number[]>();
  for (const [i, { der }] of blocks.entries()) {
    const key = der.toString("base64");
    places.set(key, [...(places.get(key) ?? []), i]);
  }
  return [...places.values()]
    .filter((indices) => indices.length > 1)
    .map((indices) => wrong(`duplicate trust anchor (indices [${indices.join(" ")}])`));
}

function problemOf({ type, hasHeaders, der }: PemBlock): string | undefined {
  if (type !== "CERTIFICATE") return `has bad block type: ${type}`;
  if (hasHeaders) return "has PEM block headers";
  try {
    return new X509Certificate(der).ca ? undefined : "does not have the CA bit set";
  } catch {
    return "does not parse as X.509";
  }
}

/** Strategy for ClusterTrustBundles. @see pkg/registry/certificates/clustertrustbundle strategy.go */
export const clusterTrustBundleStrategy = defineStrategy<ClusterTrustBundle>({
  nameRule: "pathSegment",
  allowUnconditionalUpdate: false,
  validate: (bundle) => validate(bundle),
  validateUpdate: (next, old) => [
    ...validate(next, next.spec?.trustBundle !== old.spec?.trustBundle),
    ...immutable(next.spec?.signerName ?? "", old.spec?.signerName ?? "", at.child("signerName")),
  ],
  columns: [nameColumn, column("SignerName", ({ spec }) => spec?.signerName || "<none>")],
  selectableFields: { "spec.signerName": ({ spec }) => spec?.signerName ?? "" },
});
