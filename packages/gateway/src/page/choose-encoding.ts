import type { PageFile } from "./page-files.ts";

export interface ChosenBody {
  readonly bytes: Uint8Array;
  /** Undefined for the file as it is. */
  readonly encoding: "br" | "gzip" | undefined;
}

/** The smallest form that the client says it can read. One that says nothing gets the file as it is. */
export function chooseEncoding({ bytes, br, gzip }: PageFile, accepted: string | undefined): ChosenBody {
  const weights = readWeights(accepted ?? "");
  const takes = (encoding: string): boolean => (weights.get(encoding) ?? weights.get("*") ?? 0) > 0;
  if (br !== undefined && takes("br")) return { bytes: br, encoding: "br" };
  if (gzip !== undefined && takes("gzip")) return { bytes: gzip, encoding: "gzip" };
  return { bytes, encoding: undefined };
}

/** `br;q=0` is a refusal, however odd. */
function readWeights(accepted: string): ReadonlyMap<string, number> {
  return new Map(
    accepted.split(",").map((part) => {
      const [name = "", ...parameters] = part.split(";").map((word) => word.trim().toLowerCase());
      const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? "1";
      return [name, Number(weight) || 0];
    }),
  );
}
