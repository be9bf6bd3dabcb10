import { type Conversion, checkHubAndSpokes } from "./conversion/hub-and-spokes.ts";
import { newServer, type Webhook } from "./webhook.ts";

/**
 * Converts objects of a kind between its versions, at `/convert`, directly or by way of a hub.
 *
 * @throws {Error} if versions are of different kinds, a version has two converters, or one in the definition has none
 */
export function conversion(versions: Conversion): Webhook {
  if ("hub" in versions) checkHubAndSpokes(versions);
  return { endpoints: [], declarations: [], conversions: [versions], newServer };
}
