import { type Conversion, checkHubAndSpokes } from "./conversion/hub-and-spokes.ts";
import { newServer, type Webhook } from "./webhook.ts";

/**
 * Converts objects of a kind between its versions, at `/convert`: as the kind does by itself, or by way of a hub.
 *
 * @throws {Error} if versions are of different kinds, there are two ways to one, or the definition has one without any
 */
export function conversion(versions: Conversion): Webhook {
  if ("hub" in versions) checkHubAndSpokes(versions);
  return { endpoints: [], declarations: [], conversions: [versions], newServer };
}
