import { applyMergePatch } from "@kubewright/apimachinery";
import type { Review, ReviewedObject } from "../cluster/admission.ts";
import type { ApiCall } from "../cluster/api-call.ts";
import { customResources, deployments } from "../cluster/api-resource.ts";
import { elsewhere, purposeLabel, site } from "../cluster/workloads.ts";
import type { Dice } from "../dice.ts";
import { bucketLabel, buckets, isMovable, mayUse, operator, users } from "../users/buckets.ts";
import type { World } from "../world.ts";

const bucketPath = "/validate-sdewan-bucket-permission";
const labelPaths = ["/validate-label", "/validate-deployment-label"] as const;
const note = "kubewright.dev/applied-purpose";
const operations = ["CREATE", "UPDATE", "UPDATE", "DELETE"] as const;

/** Returns a random write or deletion, inside or outside of buckets. */
export function anyReview(dice: Dice): Review {
  const user = dice.one(users) ?? operator;
  const path = dice.one([bucketPath, bucketPath, ...labelPaths]);
  const resource = path === labelPaths[1] ? deployments : (dice.one(customResources) ?? deployments);
  const operation = dice.one(operations);
  const namespace = dice.chance(0.7) ? site : elsewhere;
  const object = (): ReviewedObject => ({
    metadata: {
      name: "asked-about",
      namespace,
      labels: {
        [purposeLabel]: dice.one(["edge", "edge", "hub"]),
        ...(dice.chance(0.7) ? { [bucketLabel]: dice.one(buckets) } : {}),
      },
      ...(dice.chance(0.1) ? { annotations: { [note]: "edge" } } : {}),
    },
  });
  const [after, before] = [object(), object()];
  return {
    path,
    user,
    resource,
    operation,
    ...(operation === "DELETE" ? {} : { after }),
    ...(operation === "CREATE" ? {} : { before }),
  };
}

/** Returns the expected decision, computed independently of the operator. */
function isRight({ store }: World, { path, user, operation, resource, after, before }: Review): boolean {
  const labelIn = (object: ReviewedObject | undefined) => object?.metadata.labels?.[purposeLabel];
  if (path !== bucketPath) return operation !== "UPDATE" || labelIn(after) === labelIn(before);
  const noteIn = (object: ReviewedObject | undefined) => object?.metadata.annotations?.[note];
  if (after && noteIn(after) !== noteIn(before) && user !== operator) return false;
  return [after, before].every((object) => {
    const { namespace = "", labels } = object?.metadata ?? {};
    const bucket = labels?.[bucketLabel];
    return bucket === undefined || mayUse(store, user, namespace, resource.plural, bucket);
  });
}

/** Describes a wrong answer. */
function wrongResponse(world: World, review: Review, isLetIn: boolean | undefined): string | undefined {
  if (isLetIn === undefined || isLetIn === isRight(world, review)) return undefined;
  const { path, user, operation, resource, after, before } = review;
  const shown = JSON.stringify({ after: after?.metadata, before: before?.metadata });
  return `${path} ${isLetIn ? "allowed" : "did not allow"} ${user.username} to ${operation} one of ${resource.plural}: ${shown}`;
}

/** Reports whether the expected answer is certain while grants change and the operator's caches lag behind. */
export const isSteady = ({ path, user }: Review): boolean => path !== bucketPath || !isMovable(user);

/** Returns the review that the API server sends for a call of the operator; undefined if it sends none. */
export function reviewOfOwn({ store }: World, call: ApiCall, body: unknown): Review | undefined {
  const { resource, method, part, namespace, name } = call;
  if (part === "status" || method === "GET" || !customResources.includes(resource)) return undefined;
  const before = method === "POST" ? undefined : store.find(resource, { namespace, name });
  if (method !== "POST" && !before) return undefined;
  const after = method === "POST" ? body : method === "DELETE" ? undefined : applyMergePatch(before, body);
  const operation = method === "POST" ? "CREATE" : method === "DELETE" ? "DELETE" : "UPDATE";
  return {
    path: bucketPath,
    user: operator,
    operation,
    resource,
    after: after as ReviewedObject | undefined,
    before: before as ReviewedObject | undefined,
  };
}

const asked = 16;

/** Sends a review to a process, and reports wrong answers to the watchman. */
export function ask(world: World, process: World["processes"][number], review: Review): void {
  process.admits(review).then(
    (isLetIn) => {
      const wrong = wrongResponse(world, review, isLetIn);
      if (wrong !== undefined) world.watchman.note(wrong);
    },
    (error: unknown) => world.watchman.note(`${review.path} failed: ${String(error)}`),
  );
}

/** Returns the wrong and missing answers of the webhooks after the faults. */
export async function wrongAdmissions(world: World, dice: Dice): Promise<string[]> {
  const [process] = world.processes;
  if (!process) return ["there is no process to ask"];
  const reviews = Array.from({ length: asked }, () => anyReview(dice));
  const pending = Promise.all(reviews.map(async (review) => [review, await process.admits(review)] as const));
  await world.advance(1_000);
  const answers = await Promise.race([pending, Promise.resolve(undefined)]);
  if (!answers) return ["webhooks do not answer within a second"];
  return answers.flatMap(([review, isLetIn]) => {
    if (isLetIn === undefined) return [`${review.path} has no answer`];
    return wrongResponse(world, review, isLetIn) ?? [];
  });
}
