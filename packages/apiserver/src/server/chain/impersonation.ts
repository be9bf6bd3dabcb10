import { badRequest, type StatusError } from "@kubewright/apimachinery";
import { extraOf, repeatedHeaders } from "../../authentication/request-header.ts";
import type { RequestUser } from "../../authentication/user/user-info.ts";
import { type Authorizer, forbiddenRequest } from "../../authorization/authorizer.ts";
import type { ApiRequest } from "../../endpoints/request/api-request.ts";
import { authorizationAttributes } from "./authorization-attributes.ts";
import { type ImpersonatedUser, type ImpersonationMode, impersonationModes } from "./impersonation-modes.ts";

const maxRemembered = 10_000;

/**
 * Lets users impersonate others. The impersonation mode that last succeeded for a user is tried first. If all modes
 * reject the request, the error comes from the first mode that applies.
 *
 * @see apiserver pkg/endpoints/filters/impersonation WithConstrainedImpersonation
 */
export class ImpersonationFilter {
  readonly #modes: readonly ImpersonationMode[];
  readonly #lastMode = new Map<string, ImpersonationMode>();

  constructor(authorize: Authorizer) {
    this.#modes = impersonationModes(authorize);
  }

  /**
   * Returns the user on whose behalf a request is executed: the impersonated user, or the sender.
   *
   * @throws {StatusError} 400 if the headers specify groups without a user, 403 if the sender may not impersonate the user
   */
  actingUser(request: ApiRequest): Promise<RequestUser> | RequestUser {
    return mayImpersonate(request) ? this.#actingUser(request) : request.user;
  }

  async #actingUser(request: ApiRequest): Promise<RequestUser> {
    try {
      return await this.#impersonated(request);
    } catch (error) {
      request.response.setHeader("X-Content-Type-Options", "nosniff");
      throw error;
    }
  }

  async #impersonated(request: ApiRequest): Promise<RequestUser> {
    const wanted = wantedUser(request);
    if (!wanted) return request.user;
    const attributes = authorizationAttributes(request);
    const last = this.#lastMode.get(request.user.name);
    const modes = last ? [last, ...this.#modes.filter((mode) => mode !== last)] : this.#modes;
    let refusal: StatusError | undefined;
    for (const mode of modes) {
      const verdict = await mode(wanted, attributes);
      if (verdict === undefined) continue;
      if ("user" in verdict) {
        this.#remember(request.user.name, mode);
        return verdict.user;
      }
      refusal ??= forbiddenRequest(verdict.refused, verdict.reason);
    }
    throw refusal ?? forbiddenRequest(attributes, "all impersonation modes failed");
  }

  #remember(name: string, mode: ImpersonationMode): void {
    if (this.#lastMode.size >= maxRemembered) this.#lastMode.clear();
    this.#lastMode.set(name, mode);
  }
}

function mayImpersonate({ incoming: { headers } }: ApiRequest): boolean {
  for (const name in headers) if (name.startsWith("impersonate-")) return true;
  return false;
}

/** Returns the user whom the headers request to impersonate. @throws {StatusError} 400 if the headers do not contain a user name */
function wantedUser({ incoming }: ApiRequest): ImpersonatedUser | undefined {
  const headers = repeatedHeaders(incoming);
  const [name = ""] = headers.get("impersonate-user") ?? [];
  const [uid = ""] = headers.get("impersonate-uid") ?? [];
  const groups = headers.get("impersonate-group") ?? [];
  const extra = extraOf(headers, ["impersonate-extra-"]);
  if (name !== "") return { name, uid, groups, extra };
  if (groups.length === 0 && uid === "" && Object.keys(extra).length === 0) return undefined;
  throw badRequest("requested a uid, groups or extra without impersonating a user name");
}
