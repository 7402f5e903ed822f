import type { ErrorCode } from "@caret/protocol";
import type { ToolResult } from "../../../calls/tool-call.ts";
import type { ToolData } from "../../../calls/tool-data.ts";

type DataOf<Kind extends ToolData["kind"]> = Extract<ToolData, { kind: Kind }>;

/** A call's data of one kind; undefined for another kind or a failure. */
export function dataOf<Kind extends ToolData["kind"]>({ data }: ToolResult, kind: Kind): DataOf<Kind> | undefined {
  return data?.kind === kind ? (data as DataOf<Kind>) : undefined;
}

/** Why a call failed; undefined if its tool never ran. */
export function failureCode(result: ToolResult): ErrorCode | undefined {
  return dataOf(result, "failed")?.code;
}
