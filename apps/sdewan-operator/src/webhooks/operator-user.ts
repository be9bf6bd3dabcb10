import type { Writer } from "@kubewright/client";
import { SelfSubjectReview } from "@kubewright/client/kinds";

/**
 * Returns a function that returns this client's user name in the cluster. The function queries the API server once, and
 * again only after a failure.
 */
export function ownUser(client: Pick<Writer, "create">): () => Promise<string> {
  let known: Promise<string> | undefined;
  return () => {
    known ??= requestName(client).catch((error: unknown) => {
      known = undefined;
      throw error;
    });
    return known;
  };
}

async function requestName(client: Pick<Writer, "create">): Promise<string> {
  const { status } = await client.create(SelfSubjectReview, { metadata: { name: "" } });
  const name = status?.userInfo?.username;
  if (!name) throw new Error("the API server does not report the user name of this operator");
  return name;
}
