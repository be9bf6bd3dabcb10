import { describedResource, gvkKey, type Kind, type KubeObject } from "@kubewright/apimachinery";
import { type HandlingOptions, requestLogger } from "./admission-context.ts";
import { AdmissionEndpoint } from "./admission-endpoint.ts";
import { type Operation, ruleOf, type WebhookConfigurationOptions, type WebhookDeclaration } from "./declaration.ts";
import { type Defaulter, defaulting } from "./defaulter.ts";
import { type Validator, validating } from "./validator.ts";
import { checkedPath, mutatePath, validatePath } from "./webhook-path.ts";

/** Options for a kind's webhooks, including their paths. @see controller-runtime pkg/builder WebhookBuilder */
export interface AdmissionOptions extends HandlingOptions {
  /** Path of the mutating webhook. Default `/mutate-<group with dashes>-<version>-<kind>`. */
  readonly defaultPath?: string | undefined;
  /** Path of the validating webhook. Default `/validate-<group with dashes>-<version>-<kind>`. */
  readonly validatePath?: string | undefined;
}

/** All options and functions for a kind's webhooks. */
export interface AdmissionParts<T extends KubeObject> extends AdmissionOptions {
  readonly defaulter?: Defaulter<T> | undefined;
  readonly validator?: Validator<T> | undefined;
  readonly settings?: WebhookConfigurationOptions | undefined;
}

/** Returns the endpoints for a kind's webhooks, and their declarations for the configuration objects. */
export function admissionOf<T extends KubeObject>(
  kind: Kind<T>,
  parts: AdmissionParts<T>,
): { readonly endpoints: readonly AdmissionEndpoint[]; readonly declarations: readonly WebhookDeclaration[] } {
  const { defaulter, validator, settings = {} } = parts;
  const endpoints: AdmissionEndpoint[] = [];
  const declarations: WebhookDeclaration[] = [];
  const names = `${kind.kind.toLowerCase()}.${kind.version}.${kind.group === "" ? "core" : kind.group}`;
  const resources = [describedResource(kind)];
  const handling = { ...parts, logConstructor: parts.logConstructor ?? loggerOfKind(kind) };
  if (defaulter) {
    const path = checkedPath(parts.defaultPath ?? mutatePath(kind));
    endpoints.push(
      new AdmissionEndpoint({ ...handling, path, purpose: `default ${gvkKey(kind)}` }, defaulting(kind, defaulter)),
    );
    const rules = [ruleOf(kind, ["CREATE", "UPDATE"])];
    const name = settings.name ?? `default.${names}`;
    declarations.push({ ...settings, type: "mutating", path, name, rules, resources });
  }
  if (validator) {
    if (operationsOf(validator).length === 0)
      throw new Error(`validate ${gvkKey(kind)}: define at least one of create, update and delete`);
    const path = checkedPath(parts.validatePath ?? validatePath(kind));
    endpoints.push(
      new AdmissionEndpoint({ ...handling, path, purpose: `validate ${gvkKey(kind)}` }, validating(kind, validator)),
    );
    const rules = [ruleOf(kind, operationsOf(validator))];
    const name = settings.name ?? `validate.${names}`;
    declarations.push({ ...settings, type: "validating", path, name, rules, resources });
  }
  return { endpoints, declarations };
}

const operationsOf = ({ create, update, delete: remove }: Validator<never>): readonly Operation[] => [
  ...(create ? ["CREATE" as const] : []),
  ...(update ? ["UPDATE" as const] : []),
  ...(remove ? ["DELETE" as const] : []),
];

const loggerOfKind =
  ({ group, kind }: Kind): NonNullable<HandlingOptions["logConstructor"]> =>
  (base, request) =>
    requestLogger(base.child({ webhookGroup: group, webhookKind: kind }), request);
