import { isNotFound } from "@kubewright/apimachinery";
import type { Client } from "@kubewright/client";
import { ServiceAccount } from "@kubewright/client/kinds";
import { CommandError, UsageError } from "../command/errors.ts";
import type { ConsoleTarget } from "./console-target.ts";

/** Token for a service account that may view a console. */
export interface ViewerToken {
  readonly token: string;
  /** User name of the service account, such as `system:serviceaccount:shop-system:shop-console-viewer`. */
  readonly user: string;
  /** Expiry time set by the API server, which may be earlier than requested. */
  readonly expires: string;
}

/** Requested lifetime of the token: one working day. */
const expirationSeconds = 8 * 3_600;

/**
 * Requests a token from the API server. Requires permission to create tokens for the account.
 *
 * @param options `account` defaults to the service account generated for the program's console
 * @throws {UsageError} if neither the options nor the target name an account
 * @throws {CommandError} if the account does not exist
 */
export async function viewerToken(
  client: Client,
  options: { readonly target: ConsoleTarget; readonly account: string | undefined; readonly signal: AbortSignal },
): Promise<ViewerToken> {
  const { target, signal } = options;
  const { namespace, program, name } = target;
  const account = options.account ?? (program && `${program}-console-viewer`);
  if (account === undefined)
    throw new UsageError(`${name} has no label app.kubernetes.io/name; pass a service account with --account`);
  const body = { spec: { audiences: [], expirationSeconds } };
  const { status } = await client
    .subResource("token")
    .create(ServiceAccount, `${namespace}/${account}`, body, { signal })
    .catch((error: unknown) => {
      if (isNotFound(error))
        throw new CommandError(
          `serviceaccount/${account} does not exist in the namespace ${namespace}; apply the one that kubewright generate writes for programs with a console, or pass another with --account`,
        );
      throw error;
    });
  const { token = "", expirationTimestamp = "" } = status ?? {};
  if (token === "") throw new Error(`serviceaccount/${account}: the API server returned no token`);
  return { token, user: `system:serviceaccount:${namespace}:${account}`, expires: String(expirationTimestamp) };
}
