import { type FieldError, type FieldPath, fieldError, isDns1123Subdomain } from "@kubewright/apimachinery";
import { messages } from "../checks.ts";
import { isCIdentifier } from "../names.ts";

const longest = { domain: 63, identifier: 32 };

/**
 * Returns the errors in a qualified name: a C identifier that may be preceded by a domain and a slash.
 *
 * @see pkg/apis/resource/validation validateQualifiedName
 */
export function qualifiedNameErrors(name: string, at: FieldPath): FieldError[] {
  if (name === "") return [fieldError.required(at, "name required")];
  const slash = name.indexOf("/");
  if (slash < 0) return identifierErrors(name, at);
  const [domain, identifier] = [name.slice(0, slash), name.slice(slash + 1)];
  return [
    ...(domain === ""
      ? [fieldError.invalid(at, "", "the domain must not be empty")]
      : [
          ...(domain.length > longest.domain ? [fieldError.tooLong(at, longest.domain)] : []),
          ...messages(domain, isDns1123Subdomain(domain), at),
        ]),
    ...(identifier === ""
      ? [fieldError.invalid(at, "", "the name must not be empty")]
      : identifierErrors(identifier, at)),
  ];
}

/** Returns the errors in a fully qualified name: a C identifier that must be preceded by a domain and a slash. */
export const fullyQualifiedNameErrors = (name: string, at: FieldPath): FieldError[] => [
  ...qualifiedNameErrors(name, at),
  ...(name.includes("/")
    ? []
    : [fieldError.invalid(at, name, "a fully qualified name must be a domain and a name separated by a slash")]),
];

function identifierErrors(identifier: string, at: FieldPath): FieldError[] {
  return [
    ...(identifier.length > longest.identifier ? [fieldError.tooLong(at, longest.identifier)] : []),
    ...messages(identifier, isCIdentifier(identifier), at),
  ];
}
