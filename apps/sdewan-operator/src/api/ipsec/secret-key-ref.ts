import { type Static, Type } from "typebox";

/** A key of a Secret in the namespace of the object that refers to it. */
export const secretKeyRef = (description: string) =>
  Type.Object(
    {
      name: Type.String({
        minLength: 1,
        maxLength: 253,
        description: "The name of a Secret in the namespace of this object.",
      }),
      key: Type.String({ minLength: 1, maxLength: 253, description: "Which of the Secret's data." }),
    },
    { description },
  );

export type SecretKeyRef = Static<ReturnType<typeof secretKeyRef>>;
