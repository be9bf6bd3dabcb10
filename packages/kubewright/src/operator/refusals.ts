import type { RESTMapper } from "@kubewright/apimachinery";
import type { ObservedCall } from "@kubewright/rbac";
import { createOf, grantVerbOf, type RefusedCalls } from "./watched-program.ts";

/** Collects a program's rejected requests, and suggests a fix for each. */
export class Refusals implements RefusedCalls {
  readonly #mapper: RESTMapper;
  readonly #isGranted: (call: ObservedCall) => boolean;
  readonly #calls = new Map<string, ObservedCall>();
  readonly #grants = new Map<string, ObservedCall>();
  readonly #kinds = new Map<string, string>();
  readonly #lookups = new Map<string, Promise<void>>();

  /**
   * @param mapper maps resources to kinds
   * @param isGranted returns true for permissions that the program has. If an apply is rejected although the program has `patch`, the
   * missing permission is `create`.
   */
  constructor(mapper: RESTMapper, isGranted: (call: ObservedCall) => boolean) {
    this.#mapper = mapper;
    this.#isGranted = isGranted;
  }

  add(refused: ObservedCall, isGrant: boolean): void {
    if (isGrant) return void this.#grants.set(`${refused.verb} ${whole(refused)}`, refused);
    const call = refused.verb === "patch" && this.#isGranted(refused) ? createOf(refused) : refused;
    const resource = whole(call);
    this.#calls.set(`${call.verb} ${resource}`, call);
    const [plural = ""] = call.resource.split("/");
    const name = call.group ? `${plural}.${call.group}` : plural;
    if (this.#lookups.has(resource)) return;
    const lookup = this.#mapper.mappingForResource(name).then(
      ({ gvk }) => void this.#kinds.set(resource, gvk.kind),
      () => {}, // the message then uses the plural
    );
    this.#lookups.set(resource, lookup);
  }

  /** Waits until the kinds in {@link list} are known. */
  async named(): Promise<void> {
    await Promise.all(this.#lookups.values());
  }

  /** Messages such as `forbidden: get secrets; add .needs(Secret, ["get"]) or record (KUBEWRIGHT_RBAC=record npm test)`. */
  get list(): string[] {
    const grants = [...this.#grants.values()].map((call) => {
      const verb = grantVerbOf(call);
      const example = verb === "bind" ? ", such as ClusterRole" : "";
      return (
        `forbidden: ${call.verb} ${whole(call)}: this would grant permissions that the program itself does not have; ` +
        `add .needs(<kind of the role${example}>, ["${verb}"], { names: [<the role>] })`
      );
    });
    const calls = [...this.#calls.values()].map((call) => {
      const [plural = "", part] = call.resource.split("/");
      const options = part ? `, { subResource: "${part}" }` : "";
      const kind = this.#kinds.get(whole(call)) ?? `<kind of ${plural}>`;
      const where = call.group ? `${call.resource}.${call.group}` : call.resource;
      return `forbidden: ${call.verb} ${where}; add .needs(${kind}, ["${call.verb}"]${options}) or record (KUBEWRIGHT_RBAC=record npm test)`;
    });
    return [...calls, ...grants];
  }
}

const whole = ({ group, resource }: ObservedCall): string => `${resource}.${group}`;
