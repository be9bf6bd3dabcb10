import { isNotFound } from "@kubewright/apimachinery";
import type { Client } from "@kubewright/client";
import { ServiceAccount } from "@kubewright/client/kinds";
import { NotSoError, UsageError } from "../command/errors.ts";
import type { ConsoleTarget } from "./console-target.ts";

/** A token of an account that may look at a console. */
export interface ViewerToken {
  readonly token: string;
  /** `system:serviceaccount:shop-system:shop-console-viewer` */
  readonly user: string;
  /** As the API server has it, which may be sooner than was asked for. */
  readonly expires: string;
}

/** A working day. */
const expirationSeconds = 8 * 3_600;

/**
 * Asks the API server for a token: who may not create tokens of the account gets none.
 *
 * @param options `account`: default: the one that is generated with a program's console
 * @throws {UsageError} if nothing says which account
 * @throws {NotSoError} if there is no such account
 */
export async function viewerToken(
  client: Client,
  options: { readonly target: ConsoleTarget; readonly account: string | undefined; readonly signal: AbortSignal },
): Promise<ViewerToken> {
  const { target, signal } = options;
  const { namespace, program, name } = target;
  const account = options.account ?? (program && `${program}-console-viewer`);
  if (account === undefined)
    throw new UsageError(`${name} has no label app.kubernetes.io/name: say with --account whose token is to be taken`);
  const body = { spec: { audiences: [], expirationSeconds } };
  const { status } = await client
    .subResource("token")
    .create(ServiceAccount, `${namespace}/${account}`, body, { signal })
    .catch((error: unknown) => {
      if (isNotFound(error))
        throw new NotSoError(
          `serviceaccount/${account}: there is none in the namespace ${namespace}: kubewright generate prints it for programs with a console; --account names another`,
        );
      throw error;
    });
  const { token = "", expirationTimestamp = "" } = status ?? {};
  if (token === "") throw new Error(`serviceaccount/${account}: the API server answered without a token`);
  return { token, user: `system:serviceaccount:${namespace}:${account}`, expires: String(expirationTimestamp) };
}
