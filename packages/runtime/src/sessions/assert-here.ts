import { CaretError } from "@caret/protocol";

/** Rejects with `unsupported` what is to be on another machine: only a fleet has others. */
export function assertHere({ machine }: { readonly machine?: string | undefined }): void {
  if (machine === undefined) return;
  throw new CaretError("unsupported", `There is no machine ${machine}: this gateway is no part of a fleet`, {
    fix: "Leave the machine out.",
  });
}
