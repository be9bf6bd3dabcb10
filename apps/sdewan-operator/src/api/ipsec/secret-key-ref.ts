import { type Static, Type } from "typebox";

/** Returns the schema for a reference to a key in a Secret in the same namespace. */
export const secretKeyRef = (description: string) =>
  Type.Object(
    {
      name: Type.String({
        minLength: 1,
        maxLength: 253,
        description: "The name of a Secret in the namespace of this object.",
      }),
      key: Type.String({ minLength: 1, maxLength: 253, description: "The key in the Secret's data." }),
    },
    { description },
  );

export type SecretKeyRef = Static<ReturnType<typeof secretKeyRef>>;
