/** Who runs the tools, by open-cursor's names; the gateway knows them. */
const MODE_VARIABLE = "CURSOR_ACP_TOOL_LOOP_MODE";
/** The mode in which OpenCode runs its own tools. */
const BY_OPENCODE = "opencode";

interface TurnHeadersOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly directory: string;
  /** Whether the gateway was started for this directory. */
  readonly isOwn: boolean;
}

/**
 * What is said of a turn beside its request. The directory is left out where it could only do harm: OpenCode runs the tools, and
 * a gateway that was started elsewhere may not allow it.
 */
export function turnHeaders({ env, directory, isOwn }: TurnHeadersOptions): Readonly<Record<string, string>> {
  const mode = env[MODE_VARIABLE]?.trim().toLowerCase();
  const worksThere = isOwn || (mode !== undefined && mode !== "" && mode !== BY_OPENCODE);
  return {
    ...(mode === undefined || mode === "" ? {} : { "x-caret-tools": mode }),
    ...(worksThere ? { "x-caret-workspace": directory } : {}),
  };
}
