import { expect, it } from "vitest";
import { type AuthorizationOptions, authorizationOptionErrors } from "./authorization-options.ts";

const beside =
  "--authorization-config can not be specified when --authorization-mode or --authorization-webhook-* flags are defined";
const noPolicy = "authorization-mode ABAC's authorization policy file not passed";
const noConfig = "authorization-mode Webhook's authorization config file not passed";
const policyInVain = "cannot specify --authorization-policy-file without mode ABAC";
const configInVain = "cannot specify --authorization-webhook-config-file without mode Webhook";

/** @see kubernetes pkg/kubeapiserver/options TestAuthzValidate */
it.each<[AuthorizationOptions, string[]]>([
  [{}, []],
  [{ authorizationModes: [] }, ["at least one authorization-mode must be passed"]],
  [{ authorizationModes: ["ABAC", "AlwaysAllow", "AlwaysDeny", "Node", "RBAC", "Webhook"] }, [noPolicy, noConfig]],
  [{ authorizationModes: ["rbac" as "RBAC"] }, ['authorization-mode "rbac" is not a valid mode']],
  [{ authorizationModes: ["RBAC", "Node"] }, []],
  [{ authorizationModes: ["RBAC", "RBAC"] }, ['authorization-mode ["RBAC" "RBAC"] has mode specified more than once']],
  [
    { authorizationModes: ["RBAC", "Node", "RBAC"] },
    ['authorization-mode ["RBAC" "Node" "RBAC"] has mode specified more than once'],
  ],
  [{ authorizationModes: ["ABAC"] }, [noPolicy]],
  [{ authorizationModes: ["ABAC"], authorizationPolicyFile: "" }, [noPolicy]],
  [{ authorizationModes: ["ABAC"], authorizationPolicyFile: "p" }, []],
  [{ authorizationModes: ["RBAC"], authorizationPolicyFile: "p" }, [policyInVain]],
  [{ authorizationPolicyFile: "p" }, [policyInVain]],
  [{ authorizationModes: ["Webhook"] }, [noConfig]],
  [{ authorizationModes: ["Webhook"], authorizationWebhookConfigFile: "w" }, []],
  [{ authorizationModes: ["RBAC"], authorizationWebhookConfigFile: "w" }, [configInVain]],
  [{ authorizationConfig: "c" }, []],
  [{ authorizationConfig: "c", authorizationModes: ["RBAC"] }, [beside]],
  [{ authorizationConfig: "c", authorizationWebhookVersion: "v1" }, [beside]],
  [{ authorizationConfig: "c", authorizationWebhookCacheAuthorizedTtlMs: 0 }, [beside]],
  [{ authorizationConfig: "", authorizationModes: ["RBAC"] }, []],
])("rejects options %j: %j", (options, errors) => {
  expect(authorizationOptionErrors(options)).toEqual(errors);
});
