/** One try at getting out of a sandbox. */
export interface EscapeAttempt {
  /** What it would achieve, in words that fit behind "a sandboxed agent can". */
  readonly name: string;
  /**
   * For `/bin/sh`, in the workspace; exits with 0 when it got through. `$A` is the program of attempt.c; the other
   * variables are those of `world.ts`.
   */
  readonly script: string;
  /** Only root can do it outside, or only root cannot. */
  readonly by?: "root" | "user";
  /** Only a sandbox of this word stops it; absent: both do. */
  readonly word?: "strict";
  /** Some machines refuse it by themselves, or lack what it needs: there it proves nothing, and is not counted. */
  readonly isOptional?: true;
  /**
   * A path from the world's directory. The script alone cannot tell whether it got through, because it may have changed a
   * directory in memory: it got through when `$MARK` is written there.
   */
  readonly mark?: string;
}
