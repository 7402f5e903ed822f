import { CaretError } from "@caret/protocol";

/** Limit of characters on their way to the disk. Beyond it, a fast agent is slowed down instead of buffered in memory. */
const MAX_CHARACTERS = 288 * 1024;

export type Backlog = ReturnType<typeof createBacklog>;

/** Tracks what is on its way to the disk, up to a limit. */
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
    /** Throws if a write failed. */
    assertSound,
    /** Resolves when everything is durable. */
    drain,
    /** Adds `length` characters to the backlog. */
    add(length: number): void {
      characters += length;
    },
    /** Returns a commit's promise; once settled, the characters it carried leave the backlog. */
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
