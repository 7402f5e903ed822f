import { CaretError } from "@caret/protocol";

/** How much may be on its way to the disk. An agent that is faster than the disk is then slowed down, not kept in memory. */
const MAX_CHARACTERS = 288 * 1024;

export type Backlog = ReturnType<typeof createBacklog>;

/** What is on its way to the disk, up to a limit. */
export function createBacklog(onFailure: (error: CaretError) => void) {
  let characters = 0;
  let failure: { readonly reason: unknown } | undefined;
  let newest: Promise<unknown> = Promise.resolve();
  let hasRoom: PromiseWithResolvers<void> | undefined;

  const assertSound = (): void => {
    if (failure !== undefined) throw failure.reason;
  };
  const drain = async (): Promise<void> => {
    await newest;
    assertSound();
  };
  return {
    /** Throws when something could not be written. */
    assertSound,
    /** Resolves when everything is durable. */
    drain,
    /** So much more is on its way. */
    add(length: number): void {
      characters += length;
    },
    /** Gives back the promise of a commit; when it is settled, as much as it carried is on its way no longer. */
    watch<Result>(durable: Promise<Result>, carried: () => number): Promise<Result> {
      const settled = durable.then(
        () => undefined,
        (reason: unknown) => {
          if (failure === undefined) onFailure(CaretError.from(reason));
          failure ??= { reason };
        },
      );
      newest = settled.then(() => {
        characters -= carried();
        if (characters > MAX_CHARACTERS && failure === undefined) return;
        hasRoom?.resolve();
        hasRoom = undefined;
      });
      return durable;
    },
    /** Resolves when there is room for more. */
    room(): Promise<void> | void {
      if (characters <= MAX_CHARACTERS) return undefined;
      hasRoom ??= Promise.withResolvers();
      return hasRoom.promise;
    },
  };
}
