import { type FieldError, type FieldPath, fieldError } from "@kubewright/apimachinery";
import type { PodSpec } from "./pod-types.ts";

const segment = "[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
const pattern = `^(${segment}[\\./])*${segment}$`;
const name = new RegExp(pattern);
const longest = 253;

/** Returns the errors in the sysctls in a pod's security context. @see pkg/apis/core/validation validateSysctls */
export function sysctlErrors({ securityContext, hostNetwork, hostIPC }: HostSharing, at: FieldPath): FieldError[] {
  const { sysctls } = securityContext ?? {};
  if (!Array.isArray(sysctls)) return [];
  const seen = new Set<string>();
  return (sysctls as readonly { readonly name?: string }[]).flatMap(({ name: each = "" }, i) => {
    const field = at.index(i).child("name");
    const errors: FieldError[] = [];
    if (each === "") errors.push(fieldError.required(field, ""));
    else if (each.length > longest || !name.test(each))
      errors.push(
        fieldError.invalid(field, each, `must have at most ${longest} characters and match regex ${pattern}`),
      );
    else if (seen.has(each)) errors.push(fieldError.duplicate(field, each));
    const dotted = withDots(each);
    if (hostNetwork && dotted.startsWith("net."))
      errors.push(fieldError.invalid(field, each, "may not be specified when 'hostNetwork' is true"));
    else if (hostIPC && /^(kernel\.(sem$|shm|msg)|fs\.mqueue\.)/.test(dotted))
      errors.push(fieldError.invalid(field, each, "may not be specified when 'hostIPC' is true"));
    seen.add(each);
    return errors;
  });
}

type HostSharing = Pick<PodSpec, "securityContext" | "hostNetwork"> & { readonly hostIPC?: boolean };

/**
 * Returns the name of a sysctl with dots as separators. If the first separator in the name is a slash, each slash becomes a dot, and each
 * dot a slash.
 */
function withDots(text: string): string {
  const first = /[./]/.exec(text)?.[0];
  return first === "/" ? text.replace(/[./]/g, (each) => (each === "/" ? "." : "/")) : text;
}
